"""What numba is taught: draws without a call, generators in registers, indices that are not wrapped."""
