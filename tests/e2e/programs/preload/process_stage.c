/*
 * A stage of the whole process around the work of a thread: process_stage [COUNT]. The attribute is nested
 * and of process scope; `first` makes it after a region has begun.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak)) extern
WEAK uint64_t cali_create_attribute(const char *, int, int);
WEAK void cali_begin_string(uint64_t, const char *);
WEAK void cali_end(uint64_t);
WEAK void cali_begin_region(const char *);
WEAK void cali_end_region(const char *);

static int count = 1;

static void *work(void *unused) {
    for (int i = 0; i < count; i++) {
        cali_begin_region("inner");
        cali_begin_region("step");
        cali_end_region("step");
        cali_end_region("inner");
    }
    return unused;
}

static void in_a_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
    uint64_t stage;
    if (argc > 1) count = atoi(argv[1]);
    cali_begin_region("first");
    cali_end_region("first");
    stage = cali_create_attribute("stage", 4 /* string */, 256 | 12 /* nested, process scope */);
    in_a_thread();
    cali_begin_string(stage, "total");
    in_a_thread();
    cali_end(stage);
    return 0;
}
