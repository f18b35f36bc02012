/*
 * Names that are alike in their first 4,000 bytes, by the calls that keep a name behind a handle or get it
 * from Fortran: each name twice, and null pointers. Prototypes are our own, weak.
 */
#include <stdint.h>
#include <string.h>

#define WEAK __attribute__((weak)) extern
WEAK void *ps_tool_timer_create(const char *);
WEAK void ps_tool_timer_start(void *);
WEAK void ps_tool_timer_stop(void *);
WEAK void ps_tool_dynamic_phase_start(const char *, int);
WEAK void ps_tool_dynamic_phase_stop(const char *, int);
WEAK void Tau_profile_c_timer(void **, const char *, const char *, uint64_t, const char *);
WEAK void Tau_lite_start_timer(void *, int);
WEAK void Tau_lite_stop_timer(void *);
WEAK void tau_profile_timer_(void **, const char *, int);
WEAK void tau_profile_start_(void **);
WEAK void tau_profile_stop_(void **);
WEAK void likwid_markerstartregion_(const char *, int);
WEAK void likwid_markerstopregion_(const char *, int);
WEAK void pat_region_begin_(int *, const char *, int *, int);
WEAK void pat_region_end_(int *, int *);
WEAK void SCOREP_User_RegionInit(void **, const char **, void **, const char *, uint32_t,
                                 const char *, uint32_t);
WEAK void SCOREP_User_RegionEnter(void *);
WEAK void SCOREP_User_RegionEnd(void *);
WEAK void cali_begin_region(const char *);
WEAK void cali_end_region(const char *);
WEAK int roctxRangePushA(const char *);
WEAK int roctxRangePop(void);

static char name[2][4096];

static const char *named(const char *word, int which) {
    memset(name[which], 'n', 4000);
    strcpy(name[which] + 4000, which ? " second" : " first");
    memcpy(name[which], word, strlen(word));
    return name[which];
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        const char *text = named("perfstubs", i);
        void *handle = ps_tool_timer_create(text);
        int length, id = 1, result;
        ps_tool_timer_start(handle);
        ps_tool_timer_stop(handle);
        text = named("phase", i);
        ps_tool_dynamic_phase_start(text, 7);
        ps_tool_dynamic_phase_stop(text, 7);
        text = named("tau", i);
        handle = 0;
        Tau_profile_c_timer(&handle, text, "", 1, "");
        Tau_lite_start_timer(handle, 0);
        Tau_lite_stop_timer(handle);
        text = named("fortran tau", i);
        length = (int)strlen(text);
        handle = 0;
        tau_profile_timer_(&handle, text, length);
        tau_profile_start_(&handle);
        tau_profile_stop_(&handle);
        text = named("fortran likwid", i);
        likwid_markerstartregion_(text, length);
        likwid_markerstopregion_(text, length);
        text = named("fortran craypat", i);
        pat_region_begin_(&id, text, &result, length);
        pat_region_end_(&id, &result);
        text = named("scorep", i);
        handle = 0;
        SCOREP_User_RegionInit(&handle, 0, 0, text, 0, "", 1);
        SCOREP_User_RegionEnter(handle);
        SCOREP_User_RegionEnd(handle);
    }
    cali_begin_region(0);
    cali_end_region(0);
    roctxRangePushA(0);
    roctxRangePop();
    return 0;
}
