/* Regions of PAPI's high-level interface. */
#include <papi.h>

int main(void) {
    for (int i = 0; i < 6; i++) {
        PAPI_hl_region_begin("hl region");
        PAPI_hl_region_end("hl region");
    }
    PAPI_hl_stop();
    return 0;
}
