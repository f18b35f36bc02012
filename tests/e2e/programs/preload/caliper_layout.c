/* Bytes of a struct as a value, and what they hold as metadata of the attribute. */
#include <stdint.h>
#include <string.h>

typedef uint64_t cali_id_t;
typedef struct { uint64_t type_and_size; union { uint64_t v_uint; void *p; } value; } cali_variant_t;
enum { CALI_TYPE_USR = 1, CALI_TYPE_STRING = 4, CALI_ATTR_ASVALUE = 1, CALI_ATTR_SKIP_EVENTS = 64 };
cali_id_t cali_create_attribute(const char *, int, int) __attribute__((weak));
cali_id_t cali_create_attribute_with_metadata(const char *, int, int, int, const cali_id_t *,
                                              const cali_variant_t *) __attribute__((weak));
cali_variant_t cali_make_variant_from_string(const char *) __attribute__((weak));
void cali_set(cali_id_t, const void *, size_t) __attribute__((weak));
void cali_begin_region(const char *) __attribute__((weak));
void cali_end_region(const char *) __attribute__((weak));

struct cell { double x; int32_t n; char tag[4]; float v[2]; };

int main(int count, char **words) {
  const char *layout = count > 1 ? words[1]
                                 : "[{\"name\": \"x\", \"type\": \"double\"},\n"
                                   " {\"name\": \"n\", \"type\": \"int\", \"size\": 4},"
                                   " {\"name\": \"tag\", \"type\": \"string\", \"size\": 4},"
                                   " {\"name\": \"v\", \"type\": \"double\", \"size\": 4, \"count\": 2}]";
  if (!cali_create_attribute) return 3;
  cali_id_t key = cali_create_attribute("attribute.layout", CALI_TYPE_STRING, CALI_ATTR_SKIP_EVENTS);
  cali_variant_t value = cali_make_variant_from_string(layout);
  int properties = CALI_ATTR_ASVALUE | CALI_ATTR_SKIP_EVENTS;
  cali_id_t cell = cali_create_attribute_with_metadata("mesh.cell", CALI_TYPE_USR, properties, 1, &key,
                                                       &value);
  for (int i = 0; i < 3; i++) {
    struct cell now = {i + 0.5, -i, "ab", {1, (float)i / 4}};
    cali_set(cell, &now, sizeof now);
    cali_begin_region("step");
    cali_end_region("step");
  }
  return 0;
}
