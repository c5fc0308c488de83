"""Policies for unimodal problems, where combinations that differ in one level are neighbours."""
