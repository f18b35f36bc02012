/*
 * A process with two threads that mark by themselves, and that measures its own regions.
 * Prints, for each region of the main thread and of the other one: name, visits, and the seconds
 * between its clock readings inside the marks, and outside.
 */
#include "joulemark.h"
#include <stdio.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void spin(double seconds) {
    double end = now() + seconds;
    while (now() < end) {
    }
}

struct measured { double inner, outer; };

/* The region as seen from inside and from outside its marks: the truth lies between. */
static void visit(struct measured *m, const char *name, double seconds) {
    double before = now(), from, to;
    joulemark_begin(name);
    from = now();
    spin(seconds);
    to = now();
    joulemark_end(name);
    m->inner += to - from;
    m->outer += now() - before;
}

static struct measured other;

static void *work(void *p) {
    int i;
    (void)p;
    for (i = 0; i < 37; i++) visit(&other, "other", 0.002);
    return NULL;
}

int main(void) {
    pthread_t thread;
    struct measured first = {0, 0}, second = {0, 0};
    int i;
    pthread_create(&thread, NULL, work, NULL);
    for (i = 0; i < 23; i++) {
        joulemark_epoch();
        visit(&first, "first", 0.004);
        visit(&second, "second", 0.001);
    }
    pthread_join(thread, NULL);
    printf("first 23 %.9f %.9f\n", first.inner, first.outer);
    printf("second 23 %.9f %.9f\n", second.inner, second.outer);
    printf("other 37 %.9f %.9f\n", other.inner, other.outer);
    return 0;
}
