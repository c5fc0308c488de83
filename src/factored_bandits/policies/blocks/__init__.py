"""Building blocks that several policies share, in more than one folder; no policy is in here.

Indices and weights of one bandit, of which a policy may run several side by side:

    ucb            UCB indices                              flat_ucb1, per_factor_ucb
    kl_index       KL-UCB indices, found lazily             flat_kl_ucb, per_factor_kl_ucb
    exponential    exponential weights                      exp3, comband, sparring
    tsallis        Tsallis-INF                              tsallis_inf, vdb, sparring
    lb_inf         LB-INF-V                                 lb_inf, vdb
    base_bandits   what duels are reduced to                sparring, doubler, ...

Bookkeeping:

    level_means    the level with the best mean, per factor
    propensities   probabilities remembered until the reward comes
    wealth         what bets against levels have won: p-values
    propensity_bets  bets of policies that know their probabilities
    duel_bets      bets on duels
    combinations   statistics of the combinations visited
    duels          wins of arms over arms
    posterior      Beta posteriors of duels

A block that only the policies of one folder use stays in that folder, with an underscore.
"""
