/* Thompson sampling over all combinations: policies/factored/flat/flat_thompson.py, _beta_race.py. */
#include "beta.h"

#define ARMS (MOST * MOST)

static double alpha[ARMS], beta[ARMS], hazards[ARMS], sums[ARMS], threshold;
static long arms, blocks, length;

static double log_gamma(double x)
{
    double product = 1.0, half_log_2_pi = 0.5 * log(2.0 * M_PI);
    while (x < 10.0) {
        product *= x;
        x += 1.0;
    }
    return (x - 0.5) * log(x) - x + half_log_2_pi + stirling_error(x) - log(product);
}

static double steepness(double a, double b, double at) { return (b - 1.0) / (1.0 - at) - (a - 1.0) / at; }

static double hazard(double a, double b, double at)
{
    if (b == 1.0 && at > 0.0) {
        double exact = -a * log(at);
        return exact < log(2.0) ? exact : INFINITY;
    }
    double fall = at > 0.0 ? steepness(a, b, at) : 0.0;
    if (fall <= 0.0)
        return INFINITY;
    double normaliser = log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    double density = exp((a - 1.0) * log(at) + (b - 1.0) * log(1.0 - at) - normaliser);
    double mass = -density / fall * expm1(-fall * (1.0 - at));
    return mass < 0.5 ? -log1p(-mass) : INFINITY;
}

static void sum_block(long block)
{
    long end = (block + 1) * length < arms ? (block + 1) * length : arms;
    sums[block] = 0.0;
    for (long i = block * length; i < end; i++)
        sums[block] += hazards[i];
}

static double expected_proposals(double at)
{
    double total = 0.0;
    for (long i = 0; i < arms; i++) {
        double each = hazard(alpha[i], beta[i], at);
        total += each < 1.0 ? each : 1.0;
    }
    return total;
}

static void set_threshold(void)
{
    threshold = 0.0;
    for (long i = 0; i < arms; i++) {
        double a = alpha[i], b = beta[i], n = a + b, low = a / n - 2.0 * sqrt(a * b / (n * n * (n + 1.0)));
        threshold = low > threshold ? low : threshold;
    }
    if (expected_proposals(threshold) > 12.0) {
        double step = 0.5 * (1.0 - threshold);
        for (int k = 0; k < 10; k++, step *= 0.5)
            if (expected_proposals(threshold + step) > 12.0)
                threshold += step;
    }
    for (long i = 0; i < arms; i++)
        hazards[i] = hazard(alpha[i], beta[i], threshold);
    for (long block = 0; block < blocks; block++)
        sum_block(block);
}

static double propose(long i, double best, Pcg64 *rng)
{
    double a = alpha[i], b = beta[i];
    if (hazards[i] == INFINITY)
        return draw_beta(rng, a, b);
    if (b == 1.0) {
        double below = pow(threshold, a), y = pow(below + (1.0 - below) * draw(rng), 1.0 / a);
        return y > best ? y : -1.0;
    }
    double fall = steepness(a, b, threshold);
    double above = -log1p(draw(rng) * expm1(-fall * (1.0 - threshold))) / fall, y = threshold + above;
    if (y <= best || y >= 1.0)
        return -1.0;
    double rising = (a - 1.0) * log(y / threshold), falling = (b - 1.0) * log((1.0 - y) / (1.0 - threshold));
    return draw(rng) < exp(rising + falling + fall * above) ? y : -1.0;
}

static long race(Pcg64 *rng)
{
    double clock = -log1p(-draw(rng)), best = -1.0;
    long winner = -1;
    for (long block = 0; block < blocks; block++) {
        if (sums[block] < clock) {
            clock -= sums[block];
            continue;
        }
        for (long i = block * length; i < arms && i < (block + 1) * length; i++) {
            if (hazards[i] < clock) {
                clock -= hazards[i];
                continue;
            }
            double value = propose(i, best, rng);
            if (value > best) {
                best = value;
                winner = i;
            }
            clock = -log1p(-draw(rng));
        }
    }
    if (best > threshold)
        return winner;
    for (long i = 0; i < arms; i++)
        if (hazards[i] < INFINITY) {
            double value = draw_beta(rng, alpha[i], beta[i]);
            while (value > threshold)
                value = draw_beta(rng, alpha[i], beta[i]);
            if (value > best) {
                best = value;
                winner = i;
            }
        }
    return winner;
}

double play(const Job *job, Pcg64 *policy, Pcg64 *environment)
{
    double regret = 0.0, learned = INFINITY;
    Pcg64 own = *policy, noise = *environment;
    arms = job->size * job->size;
    for (blocks = 1; (blocks + 1) * (blocks + 1) <= arms;)
        blocks++;
    length = (arms + blocks - 1) / blocks;
    for (long i = 0; i < arms; i++)
        alpha[i] = beta[i] = 1.0;

    for (long t = 1; t <= job->rounds; t++) {
        if (learned >= arms) {
            set_threshold();
            learned = 0.0;
        }
        long arm = race(&own);
        double reward = product(job, arm / job->size, arm % job->size, &noise, &regret);
        alpha[arm] += reward;
        beta[arm] += 1.0 - reward;
        learned += 1.0;
        hazards[arm] = hazard(alpha[arm], beta[arm], threshold);
        sum_block(arm / length);
    }
    return regret;
}
