/*
 * Caliper's calls in every form that changes the context: functions, phases, loops with iterations,
 * comm regions, attributes of all kinds. Prototypes are our own, weak: it links without Caliper, and
 * with it. docs/reference/caliper.md says what is compared.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#define WEAK __attribute__((weak))
WEAK extern void cali_begin_region(const char *);
WEAK extern void cali_end_region(const char *);
WEAK extern void cali_begin_phase(const char *);
WEAK extern void cali_end_phase(const char *);
WEAK extern void cali_begin_comm_region(const char *);
WEAK extern void cali_end_comm_region(const char *);
WEAK extern uint64_t cali_create_attribute(const char *, int, int);
WEAK extern uint64_t cali_make_loop_iteration_attribute(const char *);
WEAK extern void cali_begin_int(uint64_t, int);
WEAK extern void cali_begin_string(uint64_t, const char *);
WEAK extern void cali_set_double(uint64_t, double);
WEAK extern void cali_set_int_byname(const char *, int);
WEAK extern void cali_begin_string_byname(const char *, const char *);
WEAK extern void cali_end_byname(const char *);
WEAK extern void cali_set_global_int_byname(const char *, int);
WEAK extern void cali_end(uint64_t);
WEAK extern uint64_t cali_loop_attr_id;

static void kernel(int depth) {
    cali_begin_region("kernel");
    usleep(2000);
    if (depth > 0) kernel(depth - 1);
    cali_end_region("kernel");
}

static void *worker(void *unused) {
    (void)unused;
    cali_begin_region("worker");
    cali_begin_region("part, a=b");
    cali_end_region("part, a=b");
    cali_end_region("worker");
    return NULL;
}

/* context [N]: N more visits of "long", of 10 ms each, at the end. */
int main(int argc, char **argv) {
    pthread_t thread;
    uint64_t steps, size;
    int i;
    if (!cali_begin_region) return 3;
    cali_set_global_int_byname("problem.size", 64);
    cali_begin_region("main");
    cali_begin_phase("setup");
    kernel(0);
    cali_end_phase("setup");
    size = cali_create_attribute("mesh", 2, 1);
    cali_begin_int(size, 7);
    cali_begin_string(cali_loop_attr_id, "timeloop");
    steps = cali_make_loop_iteration_attribute("timeloop");
    for (i = 0; i < 3; i++) {
        cali_begin_int(steps, i);
        cali_set_int_byname("level", i / 2);
        kernel(1);
        cali_begin_comm_region("halo");
        cali_end_comm_region("halo");
        cali_end(steps);
    }
    cali_end(cali_loop_attr_id);
    cali_end(size);
    cali_begin_string_byname("material", "steel");
    kernel(0);
    cali_end_byname("material");
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    cali_set_double(cali_create_attribute("residual", 6, 1), 0.125);
    for (i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
        cali_begin_region("long");
        usleep(10000);
        cali_end_region("long");
    }
    cali_end_region("main");
    return 0;
}
