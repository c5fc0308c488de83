"""Policies that divide the arms into batches: MergeRUCB and MergeDTS."""
