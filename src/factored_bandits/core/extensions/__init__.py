"""What numba is taught: draws without a call, state in registers, indices that are not wrapped."""
