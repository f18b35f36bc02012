/*
 * What Caliper's calls give a snapshot or an attribute beside its value: caliper_attached WORD. Prototypes are
 * our own, weak, so that the program runs without the library.
 */
#include <stdint.h>
#include <string.h>
#include <time.h>

struct variant { uint64_t type_and_size; uint64_t bits; };
struct timed { void *node; int64_t ns; };
enum { INT = 2, STRING = 4, DOUBLE = 6, BOOL = 7, AS_VALUE = 1, SKIP_EVENTS = 64, AGGREGATABLE = 2048 };

#define WEAK __attribute__((weak)) extern
WEAK uint64_t cali_find_attribute(const char *);
WEAK uint64_t cali_create_attribute(const char *, int, int);
WEAK uint64_t cali_create_attribute_with_metadata(const char *, int, int, int, const uint64_t *,
                                                  const struct variant *);
WEAK void cali_set_int(uint64_t, int);
WEAK void cali_set_double(uint64_t, double);
WEAK void cali_begin_region(const char *);
WEAK void cali_end_region(const char *);
WEAK void cali_push_snapshot(int, int, const uint64_t *, const struct variant *);
WEAK struct timed _ZN4cali15TimedAsyncEvent5beginEPKc(const char *);
WEAK void _ZN4cali15TimedAsyncEvent3endEv(struct timed *);

static void metadata(void) {
    static const char unit[] = "widgets";
    uint64_t keys[2] = {cali_find_attribute("class.aggregatable"),
                        cali_create_attribute("my.unit", STRING, SKIP_EVENTS)};
    struct variant values[2] = {{BOOL, 1},
                                {STRING | (uint64_t)(sizeof unit - 1) << 32, (uintptr_t)unit}};
    uint64_t counter = cali_create_attribute_with_metadata("mycounter", INT, AS_VALUE | SKIP_EVENTS, 2,
                                                           keys, values);
    uint64_t flops = cali_create_attribute("flops", DOUBLE, AS_VALUE | AGGREGATABLE | SKIP_EVENTS);
    cali_begin_region("main");
    for (int i = 1; i <= 4; i++) {
        cali_begin_region("k");
        cali_set_double(flops, 1.5 * i);
        cali_set_int(counter, 10 * i);
        cali_end_region("k");
    }
    cali_end_region("main");
}

static void pushed(void) {
    uint64_t level = cali_create_attribute("level", INT, AS_VALUE);
    struct variant value = {INT, 7};
    cali_begin_region("main");
    cali_set_int(level, 3);
    cali_push_snapshot(12 | 20, 1, &level, &value);
    cali_begin_region("after");
    cali_end_region("after");
    cali_end_region("main");
}

static void timed(void) {
    struct timespec rest = {0, 2000000};
    cali_begin_region("main");
    for (int i = 0; i < 3; i++) {
        struct timed event = _ZN4cali15TimedAsyncEvent5beginEPKc("copy");
        nanosleep(&rest, NULL);
        _ZN4cali15TimedAsyncEvent3endEv(&event);
    }
    cali_end_region("main");
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    if (strcmp(argv[1], "metadata") == 0) metadata();
    if (strcmp(argv[1], "pushed") == 0) pushed();
    if (strcmp(argv[1], "timed") == 0) timed();
    return 0;
}
