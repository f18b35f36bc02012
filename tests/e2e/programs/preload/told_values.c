/* Values that dialects tell beside regions: told_values itt | tau | perfstubs | scorep. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct id { unsigned long long d1, d2, d3; };

__attribute__((weak)) extern void *Tau_get_userevent(const char *);
__attribute__((weak)) extern void Tau_userevent(void *, double);
__attribute__((weak)) extern void Tau_metadata(const char *, const char *);
__attribute__((weak)) extern void *Tau_get_profiler(const char *, const char *, uint64_t, const char *);
__attribute__((weak)) extern void Tau_start_timer(void *, int, int);
__attribute__((weak)) extern int Tau_stop_timer(void *, int);
__attribute__((weak)) extern void Tau_profile_dynamic_auto(int, void **, char *, char *, uint64_t,
                                                           char *, int);

static void tau(void) {
    void *event = Tau_get_userevent("bytes sent"), *timer, *step = NULL;
    Tau_metadata("input", "small");
    timer = Tau_get_profiler("profiler", "", 1, "TAU_USER");
    for (int i = 0; i < 3; i++) {
        Tau_start_timer(timer, 0, 0);
        Tau_userevent(event, 1.5 * i);
        Tau_stop_timer(timer, 0);
    }
    Tau_profile_dynamic_auto(7, &step, "step", "", 1, "TAU_USER", 0);
    Tau_start_timer(step, 0, 0);
    Tau_stop_timer(step, 0);
}

static void itt(void) {
    void *library = dlopen(getenv("INTEL_LIBITTNOTIFY64"), RTLD_NOW);
    struct id none = {0, 0, 0};
    double load = 0.25;
#define FIND(type, name) ((type)dlsym(library, name))
    void *domain = FIND(void *(*)(const char *), "__itt_domain_create")("d");
    void *(*handle)(const char *) = FIND(void *(*)(const char *), "__itt_string_handle_create");
    void *counter = FIND(void *(*)(const char *, const char *), "__itt_counter_create")("items", "d");
    void *real =
        FIND(void *(*)(const char *, const char *, int), "__itt_counter_create_typed")("load", "d", 8);
    FIND(void (*)(void *, void *, uint64_t, struct id, struct id, void *), "__itt_task_begin_ex")(
        domain, NULL, 0, none, none, handle("timed"));
    FIND(void (*)(void *), "__itt_counter_inc")(counter);
    FIND(void (*)(void *, uint64_t), "__itt_counter_inc_delta")(counter, 41);
    FIND(void (*)(void *, void *), "__itt_counter_set_value")(real, &load);
    FIND(void (*)(void *, struct id, void *, const char *, size_t), "__itt_metadata_str_add")(
        domain, none, handle("mesh"), "coarse....", 6);
    FIND(void (*)(void *, struct id, void *, int), "__itt_marker")(domain, none, handle("here"), 1);
    FIND(void (*)(void *, void *, uint64_t), "__itt_task_end_ex")(domain, NULL, 0);
}

__attribute__((weak)) extern void SCOREP_User_RegionBegin(void **, const char **, void *, const char *,
                                                          uint32_t, const char *, uint32_t);
__attribute__((weak)) extern void SCOREP_User_RegionEnd(void *);
__attribute__((weak)) extern void SCOREP_User_RegionByNameBegin(const char *, uint32_t, const char *,
                                                                uint32_t);
__attribute__((weak)) extern void SCOREP_User_RegionByNameEnd(const char *);
__attribute__((weak)) extern void SCOREP_User_ParameterString(uint64_t *, const char *, const char *);
__attribute__((weak)) extern void SCOREP_User_InitMetric(uint32_t *, const char *, const char *, uint32_t,
                                                         int8_t);
__attribute__((weak)) extern void SCOREP_User_TriggerMetricDouble(uint32_t, double);
__attribute__((weak)) extern void scorep_f_begin_(int64_t *, char *, int32_t *, char *, int32_t *, int, int);
__attribute__((weak)) extern void scorep_f_regionend_(int64_t *);

static void scorep(void) {
    static void *handle;
    static const char *last;
    uint32_t file = 0, metric = 0;
    uint64_t parameter = (uint64_t)-1;
    int64_t fortran = -1;
    int32_t type = 0, line = 1;
    SCOREP_User_InitMetric(&metric, "load", "1", 2, 0);
    for (int i = 0; i < 3; i++) {
        SCOREP_User_RegionBegin(&handle, &last, &file, "by handle", 0, "told_values.c", 1);
        SCOREP_User_ParameterString(&parameter, "input", "small");
        SCOREP_User_RegionByNameBegin("by name", 0, "", 0);
        SCOREP_User_TriggerMetricDouble(metric, 0.5 * i);
        SCOREP_User_RegionByNameEnd("by name");
        SCOREP_User_RegionEnd(handle);
        scorep_f_begin_(&fortran, "fortran   ", &type, "", &line, 10, 0);
        scorep_f_regionend_(&fortran);
    }
}

/* As PerfStubs' library looks for a tool. */
static void perfstubs(void) {
    void *library = RTLD_DEFAULT, *timer, *counter;
    puts(dlsym(library, "ps_tool_initialize") ? "found" : "none");
    if (!dlsym(library, "ps_tool_initialize")) return;
    FIND(void (*)(void), "ps_tool_initialize")();
    timer = FIND(void *(*)(const char *), "ps_tool_timer_create")("timer");
    counter = FIND(void *(*)(const char *), "ps_tool_create_counter")("bytes");
    for (int i = 0; i < 3; i++) {
        FIND(void (*)(const char *, int), "ps_tool_dynamic_phase_start")("step", i % 2);
        FIND(void (*)(const char *, int), "ps_tool_dynamic_phase_stop")("step", i % 2);
        FIND(void (*)(void *), "ps_tool_timer_start")(timer);
        FIND(void (*)(void *, double), "ps_tool_sample_counter")(counter, 0.5 * i);
        FIND(void (*)(void *), "ps_tool_timer_stop")(timer);
    }
    FIND(void (*)(const char *, const char *), "ps_tool_set_metadata")("input", "small");
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    if (strcmp(argv[1], "tau") == 0) tau();
    if (strcmp(argv[1], "itt") == 0) itt();
    if (strcmp(argv[1], "perfstubs") == 0) perfstubs();
    if (strcmp(argv[1], "scorep") == 0) scorep();
    return 0;
}
