/* D-TS with fewer than 64 arms: policies/dueling/dts, blocks/posterior.py, blocks/duels.py. */
#include "beta.h"

static double wins[MOST][MOST], probability[MOST][MOST], mass[MOST][MOST], deficits[MOST][MOST], lowest[MOST];
static long beaten[MOST], lost[MOST], seen[MOST], champion;

static double deficit(long i, long j)
{
    double behind = wins[j][i] - wins[i][j];
    return behind <= 0.0 ? 0.0 : behind * behind / (4.0 * (wins[i][j] + wins[j][i]));
}

static double divergence(double won, double lost_)
{
    if (won >= lost_)
        return 0.0;
    double lead = (lost_ - won) / (lost_ + won), value = lost_ * log1p(lead);
    return won > 0.0 ? value + won * log1p(-lead) : value;
}

static double fair_mass(double n, double k)
{
    double few = k < n - k ? k : n - k;
    if (few < 0.0)
        return 0.0;
    if (few < 16.0) {
        double ways = 1.0;
        for (long i = 0; i < (long)few; i++)
            ways *= (n - i) / (i + 1.0);
        return ldexp(ways, -(int)(n < 2000.0 ? n : 2000.0));
    }
    double error = stirling_error(n) - stirling_error(few) - stirling_error(n - few);
    return exp(error - divergence(few, n - few)) * sqrt(n / (2.0 * M_PI * few * (n - few)));
}

static double fair_tail(double n, double k)
{
    double low = k < n - k - 1.0 ? k : n - k - 1.0, term = fair_mass(n, low), total = term;
    while (low > 0.0 && term > 1e-17 * total) {
        term *= low / (n - low + 1.0);
        low -= 1.0;
        total += term;
    }
    return k <= n - k - 1.0 ? total : 1.0 - total;
}

static void learn(long first, long second, double won_first)
{
    long i = first < second ? first : second, j = first < second ? second : first;
    double n = wins[i][j] + wins[j][i] + 1.0, won = wins[i][j], p = probability[i][j], pmf = mass[i][j];
    if (won_first == (i == first ? 1.0 : 0.0)) {
        p += 0.5 * pmf * (n - won) / (won + 1.0);
        pmf *= 0.5 * (n + 1.0) / (won + 1.0);
    } else {
        p -= 0.5 * pmf;
        pmf *= 0.5 * (n + 1.0) / (n + 1.0 - won);
    }
    wins[first][second] += won_first;
    wins[second][first] += 1.0 - won_first;
    if (fmod(n, n < 65536.0 ? 256.0 : 4096.0) == 0.0) {
        p = fair_tail(n + 1.0, wins[i][j]);
        pmf = fair_mass(n + 1.0, wins[i][j]);
    }
    probability[i][j] = p;
    probability[j][i] = 1.0 - p;
    mass[i][j] = pmf;
    deficits[i][j] = deficit(i, j);
    deficits[j][i] = deficit(j, i);
    lowest[i] = lowest[j] = -INFINITY;
}

static long candidates(long arms, double threshold)
{
    long least = arms;
    for (long i = 0; i < arms; i++) {
        if (lowest[i] <= threshold) {
            beaten[i] = 0;
            lowest[i] = INFINITY;
            for (long j = 0; j < arms; j++)
                if (deficits[i][j] > threshold) {
                    beaten[i]++;
                    lowest[i] = fmin(lowest[i], deficits[i][j]);
                }
        }
        least = beaten[i] < least ? beaten[i] : least;
    }
    return least;
}

static long play_row(long arms, long i, long fewest, Pcg64 *rng)
{
    for (long j = 0; j < arms; j++) {
        if (j != i && seen[j] <= i)
            lost[draw(rng) < probability[i][j] ? j : i]++;
        seen[i] = j + 1;
        if (lost[i] > fewest)
            break;
    }
    return lost[i];
}

static long tournament(long arms, long least, Pcg64 *rng)
{
    long choice = champion, fewest = arms, ties = 1;
    for (long i = 0; i < arms; i++)
        lost[i] = seen[i] = 0;
    if (beaten[choice] == least)
        fewest = play_row(arms, choice, arms, rng);
    for (long i = 0; i < arms; i++)
        if (fewest > 0 && beaten[i] == least && seen[i] == 0 && lost[i] <= fewest) {
            long losses = play_row(arms, i, fewest, rng);
            if (losses < fewest) {
                choice = i;
                ties = 1;
                fewest = losses;
            } else if (losses == fewest) {
                ties++;
                if (randint(rng, ties) == 0)
                    choice = i;
            }
        }
    return champion = choice;
}

static long first_arm(long arms, double threshold, Pcg64 *rng)
{
    long least = candidates(arms, threshold), found = -1;
    for (long i = 0; i < arms; i++)
        if (beaten[i] == least) {
            if (found >= 0)
                return tournament(arms, least, rng);
            found = i;
        }
    return found;
}

static double draw_above_half(long i, long j, Pcg64 *rng)
{
    for (long k = 0; k < 1000000; k++) {
        double theta = draw_beta(rng, wins[i][j] + 1.0, wins[j][i] + 1.0);
        if (theta > 0.5)
            return theta;
    }
    return 0.5;
}

static long challenger(long arms, long first, double threshold, Pcg64 *rng)
{
    long choice = first, rivals = 0;
    double largest = 0.5;
    for (long i = 0; i < arms; i++)
        if (i != first && deficits[first][i] <= threshold && draw(rng) >= probability[first][i]) {
            if (++rivals == 1) {
                choice = i;
                continue;
            }
            if (rivals == 2)
                largest = draw_above_half(choice, first, rng);
            double phi = draw_above_half(i, first, rng);
            if (phi > largest) {
                choice = i;
                largest = phi;
            }
        }
    return choice;
}

double play(const Job *job, Pcg64 *policy, Pcg64 *environment)
{
    long arms = job->size;
    double regret = 0.0;
    Pcg64 own = *policy, noise = *environment;
    champion = 0;
    for (long i = 0; i < arms; i++) {
        lowest[i] = -INFINITY;
        beaten[i] = 0;
        for (long j = 0; j < arms; j++) {
            wins[i][j] = deficits[i][j] = 0.0;
            probability[i][j] = mass[i][j] = 0.5;
        }
    }

    for (long t = 1; t <= job->rounds; t++) {
        double threshold = 0.51 * log(t);
        long first = first_arm(arms, threshold, &own);
        long second = challenger(arms, first, threshold, &own);
        double won = duel(job, first, second, &noise, &regret);
        if (first != second)
            learn(first, second, won);
    }
    return regret;
}
