#ifndef IDENTITYKIT_YARDSTICK_SUPPORT_H
#define IDENTITYKIT_YARDSTICK_SUPPORT_H

#include "Yardsticks.h"
#include <openssl/evp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define ISSUER "https://id.benchmark.example"
#define CLIENT_ID "benchmark-client"
#define REDIRECT_URI "https://shop.example.com/auth/callback"
#define SCOPE "openid email customer-account-api:full"
#define NONCE "nonce-of-the-signed-token"
#define NONCES 64

_Noreturn void yardstick_fail(const char *message);

// Reads a file of the folder and adds a zero byte; the size is optional.
char *yardstick_read(const char *folder, const char *name, size_t *size);
void yardstick_write(const char *folder, const char *name, const char *text);

// Return the number of bytes written, without a zero byte at the end; decoding returns -1 for a wrong character.
size_t base64url_encode(const uint8_t *bytes, size_t count, char *out);
long base64url_decode(const char *text, size_t count, uint8_t *out);
size_t percent_encode(const char *text, char *out);

// A prepared verifier: its key and algorithms were loaded once.
typedef struct {
    EVP_PKEY_CTX *key;
    EVP_MD *sha256;
    EVP_MD_CTX *digest;
    int is_ecdsa;
} TokenVerifier;

TokenVerifier token_verifier(const char *folder, const char *algorithm);
// Checks signature, issuer, audience, expiry and nonce; `end` points behind the token's last byte.
int token_is_valid(TokenVerifier *verifier, const char *token, const char *end, const char *nonce);

// Fills verifier, state and nonce (43 characters and a zero byte each), and appends the request's path and query.
typedef struct {
    char verifier[48], state[48], nonce[48];
} LoginValues;
char *write_authorization_request(TokenVerifier *tools, LoginValues *values, char *out);

// Writes the form of a token request for a redirect's code, and returns its size.
size_t write_token_request(const LoginValues *values, const char *head, char *form);
void check_token_response(
    TokenVerifier *verifier,
    const LoginValues *values,
    const char *head,
    const char *body,
    size_t count
);

// Measures a repeated call: a fifth of a second to warm up, then the given time.
YardstickResult measure_repeated(double seconds, void (*operation)(void *), void *context);

// A running measurement of concurrent operations.
typedef struct {
    uint64_t warm, end;
    YardstickResult result;
    uint64_t start;
} Measurement;
Measurement measurement(double seconds);
// Counts an operation, and returns 1 when the time is over.
int measurement_add(Measurement *measurement);

#endif
