"""Row and column elimination for matrices of rank one."""
