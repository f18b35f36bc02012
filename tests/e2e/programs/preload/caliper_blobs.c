/* Bytes, an address and a type as values; values, types and properties by the functions for tools. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef REAL
#include <caliper/cali.h>
#else
typedef uint64_t cali_id_t;
typedef int cali_attr_type;
enum { CALI_TYPE_USR = 1, CALI_TYPE_INT, CALI_TYPE_UINT, CALI_TYPE_STRING, CALI_TYPE_ADDR, CALI_TYPE_DOUBLE, CALI_TYPE_BOOL, CALI_TYPE_TYPE, CALI_TYPE_PTR };
typedef struct { uint64_t type_and_size; union { uint64_t v_uint; double v_double; int64_t v_int; void *p; } value; } cali_variant_t;
cali_id_t cali_create_attribute(const char *, cali_attr_type, int) __attribute__((weak));
void cali_set(cali_id_t, const void *, size_t) __attribute__((weak));
void cali_begin_region(const char *) __attribute__((weak));
void cali_end_region(const char *) __attribute__((weak));
cali_variant_t cali_make_variant(cali_attr_type, const void *, size_t) __attribute__((weak));
cali_variant_t cali_make_variant_from_int(int) __attribute__((weak));
cali_variant_t cali_make_variant_from_string(const char *) __attribute__((weak));
cali_variant_t cali_make_variant_from_double(double) __attribute__((weak));
cali_variant_t cali_make_variant_from_bool(bool) __attribute__((weak));
cali_variant_t cali_make_empty_variant(void) __attribute__((weak));
size_t cali_variant_get_size(cali_variant_t) __attribute__((weak));
const void *cali_variant_get_data(const cali_variant_t *) __attribute__((weak));
int cali_variant_to_int(cali_variant_t, bool *) __attribute__((weak));
int64_t cali_variant_to_int64(cali_variant_t, bool *) __attribute__((weak));
uint64_t cali_variant_to_uint(cali_variant_t, bool *) __attribute__((weak));
double cali_variant_to_double(cali_variant_t, bool *) __attribute__((weak));
bool cali_variant_to_bool(cali_variant_t, bool *) __attribute__((weak));
cali_attr_type cali_variant_to_type(cali_variant_t, bool *) __attribute__((weak));
int cali_variant_compare(cali_variant_t, cali_variant_t) __attribute__((weak));
bool cali_variant_eq(cali_variant_t, cali_variant_t) __attribute__((weak));
size_t cali_variant_pack(cali_variant_t, unsigned char *) __attribute__((weak));
cali_variant_t cali_variant_unpack(const unsigned char *, size_t *, bool *) __attribute__((weak));
const char *cali_type2string(cali_attr_type) __attribute__((weak));
cali_attr_type cali_string2type(const char *) __attribute__((weak));
int cali_prop2string(int, char *, size_t) __attribute__((weak));
int cali_string2prop(const char *) __attribute__((weak));
#endif

static const unsigned char BYTES[] = {1, 0, 255, 'A', '\n'};

static int sign(int n) { return (n > 0) - (n < 0); }

/* Every function over every kind of value; what they say is the same by whoever answers. */
static void values(void) {
  int64_t small = -5, large = INT64_MAX;
  uint64_t far = UINT64_MAX, near = 7;
  double real = -2.75;
  bool yes = true;
  cali_attr_type type = CALI_TYPE_DOUBLE;
  cali_variant_t all[] = {
    cali_make_empty_variant(),
    cali_make_variant(CALI_TYPE_USR, BYTES, 5),
    cali_make_variant(CALI_TYPE_INT, &small, 8),
    cali_make_variant(CALI_TYPE_INT, &large, 8),
    cali_make_variant(CALI_TYPE_UINT, &far, 8),
    cali_make_variant(CALI_TYPE_UINT, &near, 8),
    cali_make_variant(CALI_TYPE_ADDR, &near, 8),
    cali_make_variant(CALI_TYPE_DOUBLE, &real, 8),
    cali_make_variant(CALI_TYPE_BOOL, &yes, sizeof yes),
    cali_make_variant(CALI_TYPE_TYPE, &type, sizeof type),
    cali_make_variant_from_string("hello"),
    cali_make_variant_from_string("help"),
    cali_make_variant_from_int(-5),
    cali_make_variant_from_double(1e3),
    cali_make_variant_from_bool(false),
  };
  int n = (int)(sizeof all / sizeof *all);
  for (int i = 0; i < n; i++) {
    bool ok[6];
    int as_int = cali_variant_to_int(all[i], &ok[0]);
    long long as_long = (long long)cali_variant_to_int64(all[i], &ok[1]);
    unsigned long long as_uint = (i == 7) ? 0 : (unsigned long long)cali_variant_to_uint(all[i], &ok[2]);
    double as_real = cali_variant_to_double(all[i], &ok[3]);
    int as_bool = cali_variant_to_bool(all[i], &ok[4]), as_type = (int)cali_variant_to_type(all[i], &ok[5]);
    unsigned char packed[32];
    size_t length = cali_variant_pack(all[i], packed), read = 0;
    bool whole = false;
    cali_variant_t again = cali_variant_unpack(packed, &read, &whole);
    printf("%d: %llx %zu %d %d/%d %lld/%d %llu/%d %g/%d %d/%d %d/%d %d%d%d\n", i,
           (unsigned long long)all[i].type_and_size, cali_variant_get_size(all[i]),
           cali_variant_get_data(&all[i]) != NULL, as_int, ok[0], as_long, ok[1], as_uint,
           i == 7 ? 9 : ok[2], as_real, ok[3], as_bool, ok[4], as_type, ok[5], read == length, whole,
           cali_variant_eq(all[i], again));
    for (int k = 0; k < n; k++) {
      printf("%d%d", sign(cali_variant_compare(all[i], all[k])), cali_variant_eq(all[i], all[k]));
    }
    printf("\n");
  }
  char text[64], little[7];
  for (int i = -1; i < 12; i++) printf("%s ", cali_type2string((cali_attr_type)i));
  printf("%d %d\n", (int)cali_string2type("double"), (int)cali_string2type("nonsense"));
  int length = cali_prop2string(1 | 20 | 256, text, sizeof text);
  printf("%d %s %d\n", length, text, cali_prop2string(1 | 20 | 256, little, sizeof little));
  printf("%x %x\n", (unsigned)cali_string2prop("asvalue,process_scope"), (unsigned)cali_string2prop("unnested:level_3"));
}

int main(void) {
  if (!cali_create_attribute) return 3;
  cali_id_t blob = cali_create_attribute("blob", CALI_TYPE_USR, 0);
  cali_id_t where = cali_create_attribute("where", CALI_TYPE_ADDR, 1);
  cali_id_t kind = cali_create_attribute("kind", CALI_TYPE_TYPE, 1);
  uint64_t address = 0xffffffff12345678ULL;
  cali_attr_type type = CALI_TYPE_DOUBLE;
  cali_set(blob, BYTES, 5);
  cali_set(where, &address, 8);
  cali_set(kind, &type, sizeof type);
  cali_begin_region("x");
  cali_end_region("x");
  values();
  return 0;
}
