"""`noisy.py` is a program that the tests run; it needs Optuna and has no examples to check."""

collect_ignore = ["noisy.py"]
