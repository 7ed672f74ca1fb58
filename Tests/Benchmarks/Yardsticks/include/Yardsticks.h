// The work of the rows of the benchmark suite in C, with the bare libraries, for comparison with the SDK.
//
// These programs handle the success case only: fixed shapes of responses, fields found by text search, no TLS, no timeouts.
// They show the least work that is necessary. Every function ends the process with a message if something unexpected happens.
#ifndef IDENTITYKIT_YARDSTICKS_H
#define IDENTITYKIT_YARDSTICKS_H

#include <stdint.h>

typedef struct {
    uint64_t operations;
    double seconds;
    // CPU time of this process, user and system.
    double cpu_microseconds;
    uint64_t allocations;
} YardstickResult;

// Calls of malloc, calloc, realloc and the aligned forms in this process since its start.
uint64_t yardstick_allocations(void);
// CPU time of this process, user and system.
double yardstick_cpu_microseconds(void);

// Serves an OpenID provider and a shop on 127.0.0.1 until standard input ends. Writes its public keys and signed tokens
// into the folder, reads the shop's response from cart.json there, and prints its port.
void yardstick_serve(const char *folder);

// Verifies id-token.rs256 or id-token.es256 of the folder: base64url, signature, and the claims.
YardstickResult yardstick_verify(const char *folder, const char *algorithm, double seconds);
// Makes verifier, challenge, state, nonce and the authorization URL.
YardstickResult yardstick_authorization_request(double seconds);
// Signs in: authorization request, redirect, token request, verified ID token.
YardstickResult yardstick_login(const char *folder, int port, int callers, double seconds);
// Sends a GraphQL request over a kept connection and searches the response for nine fields.
YardstickResult yardstick_cart_create(const char *folder, int port, int callers, double seconds);
// Sends the same request through libcurl's multi interface.
YardstickResult yardstick_post(const char *folder, int port, int callers, double seconds);
// The same POST and the same login with libcurl on a thread of its own and callers on other threads.
YardstickResult yardstick_threaded_post(const char *folder, int port, int callers, double seconds);
YardstickResult yardstick_threaded_login(const char *folder, int port, int callers, double seconds);

#endif
