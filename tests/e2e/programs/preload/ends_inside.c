/* Exits in a region of Caliper. */
__attribute__((weak)) extern void cali_begin_region(const char *);

int main(void) {
    if (cali_begin_region) cali_begin_region("start");
    return 0;
}
