#define _GNU_SOURCE
#include "Support.h"
#include <openssl/rand.h>
#include <string.h>
#include <time.h>

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

_Noreturn void yardstick_fail(const char *message) {
    fprintf(stderr, "benchmark: %s\n", message);
    exit(1);
}

char *yardstick_read(const char *folder, const char *name, size_t *size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) yardstick_fail(path);
    char *bytes = malloc(1 << 20);
    size_t count = fread(bytes, 1, (1 << 20) - 1, file);
    fclose(file);
    bytes[count] = 0;
    if (size) *size = count;
    return bytes;
}

void yardstick_write(const char *folder, const char *name, const char *text) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) yardstick_fail(path);
}

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

size_t base64url_encode(const uint8_t *bytes, size_t count, char *out) {
    char *start = out;
    for (; count >= 3; bytes += 3, count -= 3) {
        *out++ = alphabet[bytes[0] >> 2];
        *out++ = alphabet[(bytes[0] & 3) << 4 | bytes[1] >> 4];
        *out++ = alphabet[(bytes[1] & 15) << 2 | bytes[2] >> 6];
        *out++ = alphabet[bytes[2] & 63];
    }
    if (count) {
        uint8_t second = count > 1 ? bytes[1] : 0;
        *out++ = alphabet[bytes[0] >> 2];
        *out++ = alphabet[(bytes[0] & 3) << 4 | second >> 4];
        if (count > 1) *out++ = alphabet[(second & 15) << 2];
    }
    return (size_t)(out - start);
}

long base64url_decode(const char *text, size_t count, uint8_t *out) {
    static int8_t values[256];
    if (!values['B']) {
        memset(values, -1, sizeof values);
        for (int index = 0; index < 64; index++) values[(uint8_t)alphabet[index]] = (int8_t)index;
    }
    uint8_t *start = out;
    uint32_t bits = 0;
    int held = 0;
    for (size_t index = 0; index < count; index++) {
        int value = values[(uint8_t)text[index]];
        if (value < 0) return -1;
        bits = bits << 6 | (uint32_t)value;
        if ((held += 6) >= 8) {
            held -= 8;
            *out++ = (uint8_t)(bits >> held);
        }
    }
    return out - start;
}

size_t percent_encode(const char *text, char *out) {
    static const char digits[] = "0123456789ABCDEF";
    char *start = out;
    for (; *text; text++) {
        uint8_t byte = (uint8_t)*text;
        if ((byte | 32) - 'a' < 26u || byte - '0' < 10u || strchr("-._~", byte)) {
            *out++ = (char)byte;
        } else {
            *out++ = '%';
            *out++ = digits[byte >> 4];
            *out++ = digits[byte & 15];
        }
    }
    return (size_t)(out - start);
}

static char *append(char *out, const char *text) {
    size_t count = strlen(text);
    memcpy(out, text, count);
    return out + count;
}

char *write_authorization_request(TokenVerifier *tools, LoginValues *values, char *out) {
    uint8_t random[96], hash[32];
    unsigned count;
    char challenge[48];
    if (RAND_bytes(random, sizeof random) != 1) yardstick_fail("RAND_bytes");
    memset(random + 64, random[64] % NONCES, 32);
    values->verifier[base64url_encode(random, 32, values->verifier)] = 0;
    values->state[base64url_encode(random + 32, 32, values->state)] = 0;
    values->nonce[base64url_encode(random + 64, 32, values->nonce)] = 0;
    EVP_DigestInit_ex(tools->digest, tools->sha256, NULL);
    EVP_DigestUpdate(tools->digest, values->verifier, 43);
    EVP_DigestFinal_ex(tools->digest, hash, &count);
    challenge[base64url_encode(hash, 32, challenge)] = 0;
    out = append(out, "/authorize?response_type=code&client_id=" CLIENT_ID "&redirect_uri=");
    out += percent_encode(REDIRECT_URI, out);
    out = append(out, "&scope=");
    out += percent_encode(SCOPE, out);
    out = append(append(out, "&state="), values->state);
    out = append(append(out, "&nonce="), values->nonce);
    out = append(append(out, "&code_challenge="), challenge);
    out = append(out, "&code_challenge_method=S256");
    *out = 0;
    return out;
}

typedef struct {
    TokenVerifier tools;
    uint64_t sum;
} Requests;

static void request(void *context) {
    Requests *requests = context;
    LoginValues values;
    char url[1024];
    char *end = write_authorization_request(&requests->tools, &values, append(url, ISSUER));
    requests->sum += (uint64_t)(end - url) + (uint8_t)url[200];
}

YardstickResult yardstick_authorization_request(double seconds) {
    Requests requests = {.tools = {.sha256 = EVP_MD_fetch(NULL, "SHA256", NULL), .digest = EVP_MD_CTX_new()}};
    YardstickResult result = measure_repeated(seconds, request, &requests);
    // The sum is used, because the compiler may remove work whose result is not used.
    if (requests.sum == 1) yardstick_fail("sum");
    return result;
}

Measurement measurement(double seconds) {
    uint64_t warm = now() + 200000000ull;
    return (Measurement){.warm = warm, .end = warm + (uint64_t)(seconds * 1e9)};
}

int measurement_add(Measurement *measurement) {
    uint64_t time = now();
    if (!measurement->start) {
        if (time < measurement->warm) return 0;
        measurement->start = time;
        measurement->result = (YardstickResult){
            .cpu_microseconds = -yardstick_cpu_microseconds(),
            .allocations = 0 - yardstick_allocations(),
        };
        return 0;
    }
    measurement->result.operations++;
    if (time < measurement->end) return 0;
    measurement->result.seconds = (double)(time - measurement->start) / 1e9;
    measurement->result.cpu_microseconds += yardstick_cpu_microseconds();
    measurement->result.allocations += yardstick_allocations();
    return 1;
}

YardstickResult measure_repeated(double seconds, void (*operation)(void *), void *context) {
    Measurement running = measurement(seconds);
    do operation(context);
    while (!measurement_add(&running));
    return running.result;
}
