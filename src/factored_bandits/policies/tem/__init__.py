"""The Temporary Elimination Module, Algorithm 3 of the paper (Zimmert & Seldin, NeurIPS 2018).

The pseudo-code, and where each line is:

    globals  N, D, K*, B                            state.State: N, D, active, membership

    initialize(K)                                   state.new_state
     2  for all i, j: N_ij, D_ij <- 0, 0
     3  B <- K

    getActiveSet(delta)                             active_set.active_set
     6  if some N_ij = 0                              dirty is NOTHING_LEARNED
     7      K* <- K
     8  else
     9      for a_i in K                              state.full_tau, one term each:
    10          LCB_i <- max over j != i of             bounds.threshold, line 10 solved for
                  D_ji / N_ji - radius(N_ji)              log(1 / delta); bounds.radius
    11      K* <- { a_i : LCB_i <= 0 }              active_set.recompute_active_set
    12      if K* is empty
    13          K* <- K
    14      B <- B n K*
    15      if B is empty
    16          B <- K*
    17  return K*

    scheduleNext(T)                                 phase.schedule
    20  for a in K*
    21      t <- random unassigned index in T         the column is filled in order,
    22      A_t <- a                                  and then shuffled
    23  while not all of A are assigned
    24      for a in B
    25          t <- random unassigned index in T
    26          A_t <- a

    feedback(rewards)                               phase.feedback
    29  for all i: N_s^i, R_s^i <- 0, 0             phase.accumulate
    30  for t in the phase                            phase_plays is N_s,
    31      R_s^(A_t) <- R_s^(A_t) + R_t              phase_sums is R_s
    32      N_s^(A_t) <- N_s^(A_t) + 1
    33  for a_i, a_j in K*                          phase_means.update_cohort and update_pairs
    34      D_ij <- D_ij + min(N_s^i, N_s^j)            (paper, hoeffding), or
                  (R_s^i / N_s^i - R_s^j / N_s^j)   paired_plays.update_paired_plays
    35      N_ij <- N_ij + min(N_s^i, N_s^j)            (bernstein, betting)

`module.TEM` is the same as an object, `report` tells people what a module knows.

Three facts make it fast without changing a single decision (docs/explanation/tem.md):

- *Time-free thresholds.* Arm i is eliminated at confidence delta iff log(1 / delta) < tau_i, where
  tau_i = max over j with D_ji > 0 of D_ji^2 / (12 N_ji) - log(2 K f(N_ji)). The code calls
  log(1 / delta) `log_inv_delta`.
- *Nothing new, nothing to do.* In TEA log(1 / delta) only grows. An active arm had every term below
  it at the last call, so only pairs played since then can eliminate it; an eliminated arm keeps its
  tau until it plays again.
- *Cohort.* Arms that were in every phase so far, equally often, share one N, and D_ij = S_i - S_j
  with a running sum S per arm: a phase costs O(active). Pairs with another arm are kept one by one.
"""
