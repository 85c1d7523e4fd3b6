"""The task's own tests: `ferry task test` runs every function test_*, as does pytest."""
import task


def test_mean():
    assert task.mean([2, 4]) == 3


def test_no_values():
    try:
        task.mean([])
    except ValueError:
        return
    raise AssertionError("an empty reading must raise")
