/*
 * One script of marks, by one annotation API: one_script WORD. Ten times `w` with `inner` in it and a
 * value before, in and after it, and `c`; all of them in `outer`. What an API lacks is left out.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef OWN
#include "joulemark.h"
#endif

#define WEAK __attribute__((weak)) extern
WEAK void cali_begin_region(const char *);
WEAK void cali_end_region(const char *);
WEAK void cali_set_int_byname(const char *, int);
WEAK void cali_set_global_int_byname(const char *, int);
WEAK void Tau_start(const char *);
WEAK void Tau_stop(const char *);
WEAK void Tau_trigger_userevent(const char *, double);
WEAK void Tau_metadata(const char *, const char *);
WEAK int roctxRangePushA(const char *);
WEAK int roctxRangePop(void);
WEAK void roctxMarkA(const char *);
WEAK uint64_t roctxRangeStartA(const char *);
WEAK void roctxRangeStop(uint64_t);
WEAK void SCOREP_User_RegionByNameBegin(const char *, uint32_t, const char *, uint32_t);
WEAK void SCOREP_User_RegionByNameEnd(const char *);
WEAK void SCOREP_User_ParameterInt64(uint64_t *, const char *, int64_t);
WEAK int geopm_prof_region(const char *, uint64_t, uint64_t *);
WEAK int geopm_prof_enter(uint64_t);
WEAK int geopm_prof_exit(uint64_t);
WEAK int geopm_prof_epoch(void);
WEAK int likwid_markerStartRegion(const char *);
WEAK int likwid_markerStopRegion(const char *);
WEAK int PAT_region_begin(int, const char *);
WEAK int PAT_region_end(int);

static void *library;
#define FIND(type, name) ((type)dlsym(library, name))
typedef void (*function)(void);

static function core[16], core2[16];
static int table(int module, function ***out, unsigned *size) {
    static function *places[2][16];
    if (module != 1 && module != 5) return 0;
    for (int i = 0; i < 16; i++) places[module == 5][i] = module == 1 ? &core[i] : &core2[i];
    *out = places[module == 5];
    *size = 16;
    return 1;
}
static const void *tables(uint32_t id) {
    static const struct { size_t size; int (*table)(int, function ***, unsigned *); } callbacks = {
        sizeof callbacks, table};
    return id == 1 ? &callbacks : NULL;
}

struct id { unsigned long long d1, d2, d3; };
static const struct id none;
static void *domain;
static const char *names[4] = {"outer", "w", "inner", "c"};
static uint64_t known[4];

enum api { JOULEMARK, CALIPER, TAU, NVTX, ROCTX, ITT, SCOREP, PERFSTUBS, GEOPM, LIKWID, CRAYPAT, KOKKOS };
static const char *const words[] = {"joulemark", "caliper",   "tau",   "nvtx",   "roctx",   "itt",
                                    "scorep",    "perfstubs", "geopm", "likwid", "craypat", "kokkos"};

static void set_up(enum api api) {
    const char *path = api == NVTX ? getenv("NVTX_INJECTION64_PATH")
                     : api == ITT  ? getenv("INTEL_LIBITTNOTIFY64")
                     : api == KOKKOS ? getenv("KOKKOS_TOOLS_LIBS") : NULL;
    library = path ? dlopen(path, RTLD_NOW) : RTLD_DEFAULT;
    if (api == NVTX)
        FIND(int (*)(const void *(*)(uint32_t)), "InitializeInjectionNvtx2")(tables);
    if (api == ITT) domain = FIND(void *(*)(const char *), "__itt_domain_create")("d");
    for (int i = 0; i < 4 && api == GEOPM; i++) geopm_prof_region(names[i], 1, &known[i]);
}

static void begin(enum api api, int which) {
    const char *name = names[which];
    switch (api) {
    case CALIPER: cali_begin_region(name); break;
    case TAU: Tau_start(name); break;
    case NVTX: ((int (*)(const char *))core[9])(name); break;
    case ROCTX: roctxRangePushA(name); break;
    case ITT:
        FIND(void (*)(void *, struct id, struct id, void *), "__itt_task_begin")(
            domain, none, none, FIND(void *(*)(const char *), "__itt_string_handle_create")(name));
        break;
    case SCOREP: SCOREP_User_RegionByNameBegin(name, 0, "", 0); break;
    case PERFSTUBS: FIND(void (*)(const char *), "ps_tool_start_string")(name); break;
    case GEOPM: geopm_prof_enter(known[which]); break;
    case LIKWID: likwid_markerStartRegion(name); break;
    case CRAYPAT: PAT_region_begin(which + 1, name); break;
    case KOKKOS: FIND(void (*)(const char *), "kokkosp_push_profile_region")(name); break;
#ifdef OWN
    case JOULEMARK: joulemark_begin(name); break;
#endif
    default: abort();
    }
}

static void end(enum api api, int which) {
    const char *name = names[which];
    switch (api) {
    case CALIPER: cali_end_region(name); break;
    case TAU: Tau_stop(name); break;
    case NVTX: ((int (*)(void))core[11])(); break;
    case ROCTX: roctxRangePop(); break;
    case ITT: FIND(void (*)(void *), "__itt_task_end")(domain); break;
    case SCOREP: SCOREP_User_RegionByNameEnd(name); break;
    case PERFSTUBS: FIND(void (*)(const char *), "ps_tool_stop_string")(name); break;
    case GEOPM: geopm_prof_exit(known[which]); break;
    case LIKWID: likwid_markerStopRegion(name); break;
    case CRAYPAT: PAT_region_end(which + 1); break;
    case KOKKOS: FIND(void (*)(void), "kokkosp_pop_profile_region")(); break;
#ifdef OWN
    case JOULEMARK: joulemark_end(name); break;
#endif
    default: abort();
    }
}

/* Values of each type that the API has, under names that regions have too. */
static void value(enum api api, int i) {
    static uint64_t parameter = (uint64_t)-1;
    double real = 0.5 * i;
    switch (api) {
    case CALIPER:
        cali_set_int_byname("level", i);
        cali_set_global_int_byname("last", i);
        break;
    case TAU:
        Tau_trigger_userevent("bytes", real);
        Tau_metadata("w", "a value's name");
        break;
    case NVTX: ((void (*)(const char *))core[2])("reached"); break;
    case ROCTX: roctxMarkA("reached"); break;
    case ITT: {
        static void *counter;
        if (!counter)
            counter = FIND(void *(*)(const char *, const char *), "__itt_counter_create")("n", "d");
        FIND(void (*)(void *), "__itt_counter_inc")(counter);
        break;
    }
    case SCOREP: SCOREP_User_ParameterInt64(&parameter, "step", i); break;
    case PERFSTUBS: {
        static void *counter;
        if (!counter) counter = FIND(void *(*)(const char *), "ps_tool_create_counter")("bytes");
        FIND(void (*)(void *, double), "ps_tool_sample_counter")(counter, real);
        break;
    }
#ifdef OWN
    case JOULEMARK:
        joulemark_set_int("step", i);
        joulemark_set_double("residual", real);
        joulemark_set_string("phase", i % 2 ? "odd" : "even");
        joulemark_set_string("region", "a value");
        break;
#endif
    default: break;
    }
}

static void epoch_and_span(enum api api) {
    if (api == GEOPM) geopm_prof_epoch();
    if (api == ROCTX) roctxRangeStop(roctxRangeStartA("span"));
    if (api == NVTX)
        ((void (*)(uint64_t))core[7])(((uint64_t(*)(const char *))core[5])("span"));
#ifdef OWN
    if (api == JOULEMARK) {
        joulemark_epoch();
        joulemark_span_end(joulemark_span_begin("span"));
    }
#endif
}

int main(int argc, char **argv) {
    int api = 0;
    if (argc < 2) return 1;
    while (strcmp(words[api], argv[1]) != 0)
        if (++api == sizeof words / sizeof *words) return 1;
    set_up((enum api)api);
    begin((enum api)api, 0);
    for (int i = 0; i < 10; i++) {
        value((enum api)api, i);
        epoch_and_span((enum api)api);
        begin((enum api)api, 1);
        value((enum api)api, 10 + i);
        begin((enum api)api, 2);
        value((enum api)api, 20 + i);
        end((enum api)api, 2);
        epoch_and_span((enum api)api);
        end((enum api)api, 1);
        begin((enum api)api, 3);
        value((enum api)api, 30 + i);
        end((enum api)api, 3);
    }
    value((enum api)api, 40);
    end((enum api)api, 0);
    return 0;
}
