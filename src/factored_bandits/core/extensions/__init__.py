"""What numba is taught: draws without a call, indices that are not wrapped, counts of bits."""
