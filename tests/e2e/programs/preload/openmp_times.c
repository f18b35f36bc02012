/*
 * What constructs of OpenMP take by the program's own clock, two threads: in each kind one of them is
 * late by MS milliseconds, asleep. Sums over the threads: first the mean time of a reading of the clock,
 * then kind as the report names it, seconds, how often, 0.
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS 60

enum kind {
    PARALLEL, BARRIER, LOOP, SECTIONS, SINGLE, TASK, TASKWAIT, TASKGROUP, WAIT_CRITICAL, CRITICAL,
    WAIT_ORDERED, WAIT_LOCK, WORK, KINDS
};
static const char *const names[KINDS] = {
    "parallel", "barrier_explicit", "loop", "sections", "single_executor", "task", "taskwait",
    "taskgroup", "wait_critical", "critical", "wait_ordered", "wait_lock", "work"};
/* Of each thread its own; those of a task are of the thread that runs it. */
static struct { double seconds; long count; char line[48]; } sums[2][KINDS];

__attribute__((weak)) void cali_begin_region(const char *name);
__attribute__((weak)) void cali_end_region(const char *name);

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void add(enum kind kind, double since) {
    double seconds = now() - since;
    sums[omp_get_thread_num()][kind].seconds += seconds;
    sums[omp_get_thread_num()][kind].count++;
}

static void late(int who) {
    if (omp_get_thread_num() == who) usleep(MS * 1000);
}

/* Work of gcc's runtime is what a thread does between its waits. */
static _Thread_local double works_since;
static void works(void) { works_since = now(); }
static void rests(void) { add(WORK, works_since); }

#define WAITS(kind, ...)                                                                           \
    do {                                                                                           \
        rests();                                                                                   \
        double before = now();                                                                     \
        __VA_ARGS__;                                                                               \
        add(kind, before);                                                                         \
        works();                                                                                   \
    } while (0)
#define MEET WAITS(BARRIER, _Pragma("omp barrier"))

static void meetings(void) {
    double before = now();
#pragma omp parallel num_threads(2)
    {
        works();
        for (int i = 0; i < 2; i++) {
            late(i);
            MEET;
        }
        rests();
    }
    add(PARALLEL, before);
}

static void loops(void) {
    double before = now();
#pragma omp parallel num_threads(2)
    {
        works();
        double start = now();
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 2; i++) usleep(MS * 500);
        add(LOOP, start);
        start = now();
#pragma omp for schedule(dynamic, 1) nowait
        for (int i = 0; i < 4; i++) usleep(MS * 500);
        add(LOOP, start);
        start = now();
#pragma omp sections nowait
        {
#pragma omp section
            usleep(MS * 1000);
#pragma omp section
            usleep(MS * 1000);
        }
        add(SECTIONS, start);
        MEET;
        int mine = 0;
        start = now();
#pragma omp single nowait
        {
            mine = 1;
            usleep(MS * 1000);
        }
        if (mine) add(SINGLE, start);
        MEET;
        rests();
    }
    add(PARALLEL, before);
}

/* One makes tasks and waits for them. */
static void tasks(void) {
    double before = now();
#pragma omp parallel num_threads(2)
    {
        works();
        if (omp_get_thread_num() == 0) {
#pragma omp task
            {
                double start = now();
                usleep(MS * 1000);
                add(TASK, start);
            }
            WAITS(TASKWAIT, _Pragma("omp taskwait"));
            rests();
            double start = now();
#pragma omp taskgroup
            {
#pragma omp task
                {
                    double begin = now();
                    usleep(MS * 1000);
                    add(TASK, begin);
                }
#if !defined(__clang__)
                start = now(); /* only the wait at its end can be seen */
#endif
            }
            add(TASKGROUP, start);
            works();
        }
        rests();
    }
    add(PARALLEL, before);
}

static void exclusions(void) {
    double before = now();
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        works();
        MEET;
        rests();
        double start = now();
#pragma omp critical
        {
            add(WAIT_CRITICAL, start);
            works();
            start = now();
            usleep(MS * 1000);
        }
        add(CRITICAL, start);
        MEET;
        WAITS(WAIT_LOCK, omp_set_lock(&lock));
        usleep(MS * 1000);
        omp_unset_lock(&lock);
        MEET;
        double all = now();
#pragma omp for schedule(static, 1) ordered nowait
        for (int i = 0; i < 2; i++) {
            rests();
            start = now();
#pragma omp ordered
            {
                add(WAIT_ORDERED, start);
                works();
                usleep(MS * 1000);
            }
        }
        add(LOOP, all);
        rests();
    }
    add(PARALLEL, before);
    omp_destroy_lock(&lock);
}

int main(void) {
    /* The process and the runtime are up before the first construct. */
    if (cali_begin_region) cali_begin_region("all");
    omp_set_dynamic(0);
    (void)omp_get_max_threads();
    double start = now();
    for (int i = 0; i < 10000; i++) now();
    double reading = (now() - start) / 10000;
    meetings();
    loops();
    tasks();
    exclusions();
    if (cali_end_region) cali_end_region("all");
    printf("clock %.9f 1 0\n", reading);
    for (int k = 0; k < KINDS; k++)
        printf("%s %.9f %ld 0\n", names[k], sums[0][k].seconds + sums[1][k].seconds,
               sums[0][k].count + sums[1][k].count);
    return 0;
}
