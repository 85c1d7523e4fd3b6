"""python3 -m unittest"""
import unittest

import ferry

from app import App


class AppTest(unittest.TestCase):
    def test_classify(self):
        for got, expected in zip(App().classify([1, 0, 0, 0]), (0.651564, 0.216887, 0.131549), strict=True):
            self.assertAlmostEqual(got, expected, places=4)

    def test_means(self):
        app = App()
        app.send(1)
        app.send(2)
        self.assertEqual(app.means(), [])
        app.send(4.5)
        self.assertEqual(app.means(), [2.5])

    def test_a_model_that_is_not_there(self):
        with self.assertRaises(ferry.Error) as caught:
            App("no such file")
        self.assertEqual(caught.exception.name, "not_found")


if __name__ == "__main__":
    unittest.main()
