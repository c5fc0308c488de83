"""What everything else uses and what knows no algorithm: kernels, loop, random numbers."""
