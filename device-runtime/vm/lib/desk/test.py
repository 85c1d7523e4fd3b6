"""What tests share: see test.support."""
