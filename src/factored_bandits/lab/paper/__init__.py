"""The figures and tables of the paper: one file is one experiment."""
