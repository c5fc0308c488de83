"""Leader-heavy random blocks with bets against every level: the parts of `leader_tea`.

The algorithm, and where each line is (the proofs are in docs/explanation/leader.md):

    plan(t)
     1  per factor  C = { k not the leader : threshold_k <= log t }  block.closest
     2      thin C while the leader is not settled                   block.stands
     3      slots = max(2, |C|) min(16, e^(least behind_k))          block.choose_candidates
     4  length = the largest |C| + slots; where factors take turns   turns.take_turns
            C of one factor only, not thinned, and its |C| + slots   turns.slots_in_turn
     5  per factor  every k in C once, the leader in all other       block.fill_column
            slots, in random order

    learn(block), unless it is a single play
     6  the posterior of what each level adds                        posterior.update_posterior
     7  per factor  plays and means of each level                    evidence.accumulate
     8      for k in C that stands once: bet against k               bet.bet
     9      records of all pairs of levels in the block              evidence.record_pairs
    10      leader = the largest weight, if no pair objects, else    posterior.follow_posterior
            the level with the least evidence against it             evidence.choose_leader
    11      behind_k, threshold_k                                    thresholds.update_thresholds
    12  if a leader has changed: records of bets are shortened       evidence.shorten_records
    13  factors take turns where the leaders hardly fail             turns.turns_pay

`state` holds the arrays, `report` tells people what is known.
"""
