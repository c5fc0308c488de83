/* The module of the paper for one factor, with the paper's bound: policies/tem. */
#include "limit.h"

enum { OUTSIDE_B, IN_B, IN_COHORT };
enum { NOTHING_LEARNED, QUIET, ALARM, STALE };

typedef struct {
    long size, count, dirty, cohort_n;
    double last, lowest; /* log(1 / delta) of the last active set; the smallest tau outside */
    long list[MOST], arms[MOST], plays[MOST];
    char active[MOST], member[MOST];
    double s[MOST], tau[MOST], sums[MOST], means[MOST], d[MOST][MOST];
    long n[MOST][MOST];
} Tem;

static void begin(Tem *m, long size)
{
    memset(m, 0, sizeof *m);
    m->size = m->count = size;
    m->lowest = INFINITY;
    for (long i = 0; i < size; i++) {
        m->list[i] = i;
        m->active[i] = 1;
        m->member[i] = IN_COHORT;
        m->tau[i] = -INFINITY;
    }
}

static double log_f(double t)
{
    double log_t = log(t + 1.0);
    return log_t + 2.0 * log(log_t);
}

static double threshold(double difference, long n, long size)
{
    return difference * difference / (12.0 * n) - log(2.0 * size) - log_f(n);
}

static void pair(const Tem *m, long i, long j, double *difference, long *n)
{
    if (m->member[i] == IN_COHORT && m->member[j] == IN_COHORT) {
        *difference = m->s[i] - m->s[j];
        *n = m->cohort_n;
    } else {
        *difference = i < j ? m->d[i][j] : -m->d[j][i];
        *n = i < j ? m->n[i][j] : m->n[j][i];
    }
}

static double full_tau(const Tem *m, long i)
{
    double tau = -INFINITY, difference;
    long n;
    for (long j = 0; j < m->size; j++)
        if (j != i) {
            pair(m, j, i, &difference, &n);
            if (difference > 0.0)
                tau = fmax(tau, threshold(difference, n, m->size));
        }
    return tau;
}

static void leave_cohort(Tem *m, long i)
{
    m->member[i] = IN_B;
    for (long j = 0; j < m->size; j++)
        if (m->member[j] == IN_COHORT) {
            double difference = m->s[i] - m->s[j];
            long a = i < j ? i : j, b = i < j ? j : i;
            m->d[a][b] = i < j ? difference : -difference;
            m->n[a][b] = m->cohort_n;
        }
}

static void recompute(Tem *m, double level)
{
    long count = 0, in_b = 0, empty = 1;
    for (long i = 0; i < m->size; i++)
        empty &= m->tau[i] > level;
    for (long i = 0; i < m->size; i++)
        if (!empty && m->tau[i] > level && m->member[i] == IN_COHORT)
            leave_cohort(m, i);

    m->lowest = INFINITY;
    for (long i = 0; i < m->size; i++) {
        int keep = empty || m->tau[i] <= level;
        if (keep) {
            m->list[count++] = i;
            in_b += m->member[i] != OUTSIDE_B;
        } else {
            if (m->active[i])
                m->tau[i] = full_tau(m, i);
            m->lowest = fmin(m->lowest, m->tau[i]);
            m->member[i] = OUTSIDE_B;
        }
        m->active[i] = keep;
    }
    if (in_b == 0)
        for (long k = 0; k < count; k++)
            m->member[m->list[k]] = IN_B;
    m->count = count;
    m->dirty = empty ? ALARM : QUIET;
}

static long active_set(Tem *m, double level)
{
    if (m->dirty == NOTHING_LEARNED)
        return m->count;
    if (m->dirty == STALE || level < m->last) {
        for (long i = 0; i < m->size; i++)
            m->tau[i] = full_tau(m, i);
        recompute(m, level);
        m->last = level;
    } else if (m->dirty == ALARM || m->lowest <= level) {
        recompute(m, level);
    }
    if (m->count > 1)
        m->last = level;
    return m->count;
}

static void schedule(Tem *m, long length, Pcg64 *rng, long *rows)
{
    for (long k = 0; k < m->count; k++)
        rows[k] = m->list[k];
    if (m->count < length) {
        long in_b = 0, rest = length - m->count;
        for (long k = 0; k < m->count; k++)
            if (m->member[m->list[k]] != OUTSIDE_B)
                m->arms[in_b++] = m->list[k];
        long full = rest / in_b * in_b;
        for (long k = 0; k < full; k++)
            rows[m->count + k] = m->arms[k % in_b];
        for (long k = 0; k < rest - full; k++) {
            long pick = k + randint(rng, in_b - k), arm = m->arms[pick];
            m->arms[pick] = m->arms[k];
            m->arms[k] = arm;
            rows[m->count + full + k] = arm;
        }
    }
    if (m->count > 1)
        shuffle(rng, rows, length);
}

/* Lines 33-35: the cohort by its sums, other pairs one by one; whether some arm may have to go. */
static int compare(Tem *m, long count)
{
    long outside = 0, alarm = 0;
    for (long k = 0; k < count; k++)
        if (m->member[m->arms[k]] != IN_COHORT) {
            long arm = m->arms[k];
            m->arms[k] = m->arms[outside];
            m->arms[outside++] = arm;
        }
    if (outside < count) {
        long plays = m->plays[m->arms[outside]], equal = 1;
        for (long k = outside; k < count; k++)
            equal &= m->plays[m->arms[k]] == plays;
        if (equal) {
            for (long k = outside; k < count; k++)
                m->s[m->arms[k]] += m->sums[m->arms[k]];
            m->cohort_n += plays;
        } else {
            for (long k = outside; k < count; k++)
                leave_cohort(m, m->arms[k]);
            outside = count;
        }
    }

    double bar = 12.0 * m->last;
    if (outside < count) {
        double best = -INFINITY, worst = INFINITY;
        for (long k = outside; k < count; k++) {
            double s = m->s[m->arms[k]];
            best = s > best ? s : best;
            worst = s < worst ? s : worst;
        }
        if ((best - worst) * (best - worst) > bar * m->cohort_n)
            for (long k = outside; k < count; k++) {
                long arm = m->arms[k];
                if (m->s[arm] < best) {
                    m->tau[arm] = fmax(m->tau[arm], threshold(best - m->s[arm], m->cohort_n, m->size));
                    alarm = 1;
                }
            }
    }
    if (outside == 0)
        return alarm;

    for (long k = 0; k < count; k++)
        m->means[m->arms[k]] = m->sums[m->arms[k]] / m->plays[m->arms[k]];
    for (long k = 0; k < outside; k++)
        for (long other = k + 1; other < count; other++) {
            long i = m->arms[k], j = m->arms[other], a = i < j ? i : j, b = i < j ? j : i;
            long weight = m->plays[i] < m->plays[j] ? m->plays[i] : m->plays[j];
            double gain = weight * (m->means[i] - m->means[j]);
            double difference = m->d[a][b] + (i < j ? gain : -gain);
            long n = m->n[a][b] + weight;
            m->d[a][b] = difference;
            m->n[a][b] = n;
            if (difference * difference > bar * n) {
                long loser = difference > 0.0 ? b : a;
                m->tau[loser] = fmax(m->tau[loser], threshold(fabs(difference), n, m->size));
                alarm = 1;
            }
        }
    return alarm;
}

static void feedback(Tem *m, long length, const long *rows, const double *rewards)
{
    long count = 0;
    if (length > 1)
        for (long k = 0; k < length; k++) {
            long arm = rows[k];
            if (m->plays[arm]++ == 0) {
                m->arms[count++] = arm;
                m->sums[arm] = 0.0;
            }
            m->sums[arm] += rewards[k];
        }
    long dirty = m->dirty;
    m->dirty = dirty > QUIET ? dirty : QUIET;
    if (count > 1) {
        int fresh = dirty != STALE && count == m->count;
        for (long k = 0; k < count; k++) {
            fresh = fresh && m->active[m->arms[k]];
            if (dirty == ALARM)
                m->tau[m->arms[k]] = -INFINITY;
        }
        int alarm = compare(m, count);
        m->dirty = !fresh ? STALE : alarm ? ALARM : QUIET;
    }
    for (long k = 0; k < count; k++)
        m->plays[m->arms[k]] = 0;
}

/* For how many rounds from t the factors keep their single active arms. */
static long idle(const Tem *modules, long columns, long t)
{
    double lowest = INFINITY;
    for (long l = 0; l < columns; l++) {
        const Tem *m = modules + l;
        if (m->count > 1 || m->dirty == NOTHING_LEARNED || m->dirty == STALE)
            return 0;
        lowest = fmin(lowest, m->lowest);
    }
    if (lowest > log_f(0x1p62))
        return 1L << 62;
    long low = t - 1, high = t;
    if (log_f(t) >= lowest)
        return 0;
    for (; log_f(high) < lowest; high *= 2)
        low = high;
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (log_f(middle) < lowest)
            low = middle;
        else
            high = middle;
    }
    return high - t;
}
