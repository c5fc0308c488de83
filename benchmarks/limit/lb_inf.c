/* LB-INF-V per factor: policies/factored/ftrl/lb_inf.py, blocks/lb_inf.py.
   Ours also remembers propensities and bets for certificates, which is left out here. */
#include "limit.h"

#define TINY 1e-300
#define NEAR 1e-4
#define STEPS 200

typedef struct {
    double estimate[MOST], prediction[MOST], variance[MOST], plays[MOST], p[MOST], beta[MOST], cost[MOST];
    double solution;
} Learner;

static Learner learners[2];

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* the solution of h(p) = a, as p and 1 - p, from a starting point given as both */
static void probability_at(double a, double gamma, double *p, double *rest)
{
    if (a <= gamma * log(2.0) - 1.0) {
        double y = larger(2.0, 1.0 / larger(*p, TINY));
        for (int k = 0; k < STEPS; k++) {
            double left = 1.0 - 1.0 / y, before = y;
            double excess = 1.0 - y - gamma * log1p(-1.0 / y) - a;
            y = larger(2.0, y + excess / (1.0 + gamma / (y * y * left)));
            if (fabs(y - before) <= NEAR * y)
                break;
        }
        *p = 1.0 / y;
        *rest = 1.0 - 1.0 / y;
        return;
    }
    double s = larger(log(2.0), -log(larger(*rest, TINY)));
    for (int k = 0; k < STEPS; k++) {
        double left = exp(-s), q = 1.0 - left, before = s;
        double missing = a - 1.0 + 1.0 / q - gamma * s;
        s = larger(log(2.0), s + missing / (gamma + left / (q * q)));
        s = smaller(s, -log(TINY));
        if (fabs(s - before) <= NEAR)
            break;
    }
    *rest = exp(-s);
    *p = 1.0 - *rest;
}

/* beta and cost; the first level, and a bracket of lambda */
static long prepare(Learner *m, long size, double gamma, double *low, double *high)
{
    double least = INFINITY, h_even = 1.0 - size - gamma * log1p(-1.0 / size);
    long first = 0;
    for (long i = 0; i < size; i++) {
        m->beta[i] = sqrt((1.0 + 0.2) * (1.0 + 0.2) + m->variance[i] / gamma);
        m->cost[i] = m->estimate[i] + m->prediction[i];
        least = smaller(least, m->cost[i]);
    }
    *low = INFINITY;
    *high = -INFINITY;
    for (long i = 0; i < size; i++) {
        m->cost[i] -= least;
        double even = m->cost[i] + m->beta[i] * h_even;
        *high = larger(*high, even);
        if (even < *low) {
            first = i;
            *low = even;
        }
    }
    double zero = m->cost[first];
    for (long i = 0; i < size; i++)
        m->cost[i] -= zero;
    double slack = 1e-9 * (1.0 + fabs(*low) + zero);
    *low = *low - zero - slack;
    *high = smaller(*high - zero + slack, -m->beta[first] * gamma * log(TINY));
    return first;
}

static void find_probabilities(Learner *m, long size, double gamma)
{
    double low, high, step = 0.0;
    long first = prepare(m, size, gamma, &low, &high);
    double multiplier = smaller(larger(m->solution, low), high), rest = 1.0 - m->p[first];

    for (int k = 0; k < STEPS; k++) {
        double others = 0.0, slope = 0.0, slope_first = 0.0, steepest = 0.0;
        for (long i = 0; i < size; i++) {
            double p = m->p[i], left = i == first ? rest : 1.0 - p;
            probability_at((multiplier - m->cost[i]) / m->beta[i], gamma, &p, &left);
            m->p[i] = p;
            double gain = 1.0 / (m->beta[i] * (1.0 / (p * p) + gamma / left));
            if (i == first) {
                rest = left;
                slope_first = gain / left;
            } else {
                others += p;
                slope += gain;
                steepest = larger(steepest, gain / p);
            }
        }
        double excess = log(others / rest);
        step = -excess / (slope / others + slope_first);
        if (fabs(excess) <= 10.0 * NEAR && fabs(step) * steepest <= NEAR)
            break;
        if (excess > 0.0)
            high = multiplier;
        else
            low = multiplier;
        multiplier += step;
        if (!(low < multiplier && multiplier < high)) {
            multiplier = 0.5 * (low + high);
            step = 0.0;
        }
    }

    double others = 0.0;
    for (long i = 0; i < size; i++)
        if (i != first) {
            double p = m->p[i];
            m->p[i] += step / (m->beta[i] * (1.0 / (p * p) + gamma / (1.0 - p)));
            others += m->p[i];
        }
    m->p[first] = 1.0 - others;
    m->solution = multiplier + step;
}

static void feed(Learner *m, long size, long played, double loss, double gamma)
{
    double p = m->p[played], residual = loss - m->prediction[played];
    for (long i = 0; i < size; i++)
        m->estimate[i] += m->prediction[i];
    m->estimate[played] += residual / p;
    m->variance[played] += residual * residual * smaller(1.0, 2.0 * (1.0 - p) / (p * p * gamma));
    m->plays[played] += 1.0;
    m->prediction[played] += residual * (1.0 / (1.0 + m->plays[played]));
}

double play(const Job *job, Pcg64 *policy, Pcg64 *environment)
{
    long size = job->size, chosen[2];
    double regret = 0.0;
    Pcg64 own = *policy, noise = *environment;
    memset(learners, 0, sizeof learners);
    for (long l = 0; l < 2; l++)
        for (long i = 0; i < size; i++) {
            learners[l].prediction[i] = 0.5;
            learners[l].p[i] = 1.0 / size;
        }

    for (long t = 1; t <= job->rounds; t++) {
        double gamma = log(1.0 + t);
        for (long l = 0; l < 2; l++) {
            find_probabilities(&learners[l], size, gamma);
            chosen[l] = categorical(learners[l].p, size, &own);
        }
        double loss = 1.0 - product(job, chosen[0], chosen[1], &noise, &regret);
        for (long l = 0; l < 2; l++)
            feed(&learners[l], size, chosen[l], loss, gamma);
    }
    return regret;
}
