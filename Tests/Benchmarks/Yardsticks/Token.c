#define _GNU_SOURCE
#include "Support.h"
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <string.h>
#include <time.h>

TokenVerifier token_verifier(const char *folder, const char *algorithm) {
    TokenVerifier verifier = {
        .sha256 = EVP_MD_fetch(NULL, "SHA256", NULL),
        .digest = EVP_MD_CTX_new(),
        .is_ecdsa = !strcmp(algorithm, "ES256"),
    };
    char *pem = yardstick_read(folder, verifier.is_ecdsa ? "es256.pem" : "rs256.pem", NULL);
    BIO *memory = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key = PEM_read_bio_PUBKEY(memory, NULL, NULL, NULL);
    verifier.key = EVP_PKEY_CTX_new(key, NULL);
    if (EVP_PKEY_verify_init(verifier.key) <= 0
        || EVP_PKEY_CTX_set_signature_md(verifier.key, verifier.sha256) <= 0
        || (!verifier.is_ecdsa && EVP_PKEY_CTX_set_rsa_padding(verifier.key, RSA_PKCS1_PADDING) <= 0)) {
        yardstick_fail("the verification key cannot be used");
    }
    return verifier;
}

// Converts the two numbers of an ECDSA signature into DER.
static size_t der_signature(const uint8_t *numbers, uint8_t *der) {
    uint8_t *out = der + 2;
    for (int index = 0; index < 2; index++) {
        const uint8_t *number = numbers + 32 * index;
        size_t count = 32;
        for (; count > 1 && !*number; count--) number++;
        *out++ = 2;
        *out++ = (uint8_t)(count + (*number >> 7));
        if (*number & 0x80) *out++ = 0;
        memcpy(out, number, count);
        out += count;
    }
    der[0] = 0x30;
    der[1] = (uint8_t)(out - der - 2);
    return (size_t)(out - der);
}

static const char *claim(const char *payload, size_t count, const char *name) {
    char *found = memmem(payload, count, name, strlen(name));
    return found ? found + strlen(name) : NULL;
}

static int has_text(const char *payload, size_t count, const char *name, const char *text) {
    const char *value = claim(payload, count, name);
    return value && !strncmp(value, text, strlen(text)) && value[strlen(text)] == '"';
}

int token_is_valid(TokenVerifier *verifier, const char *token, const char *end, const char *nonce) {
    uint8_t header[512], payload[4096], signature[512], der[80], hash[32];
    unsigned hashed;
    const char *first = memchr(token, '.', (size_t)(end - token));
    const char *second = first ? memchr(first + 1, '.', (size_t)(end - first - 1)) : NULL;
    if (!second || end - token > 5000 || first - token > 600 || end - second > 600) return 0;
    long headers = base64url_decode(token, (size_t)(first - token), header);
    long count = base64url_decode(first + 1, (size_t)(second - first - 1), payload);
    long signed_count = base64url_decode(second + 1, (size_t)(end - second - 1), signature);
    if (headers < 0 || count < 0 || signed_count < 0) return 0;
    if (!memmem(header, (size_t)headers, verifier->is_ecdsa ? "\"ES256\"" : "\"RS256\"", 7)) return 0;
    EVP_DigestInit_ex(verifier->digest, verifier->sha256, NULL);
    EVP_DigestUpdate(verifier->digest, token, (size_t)(second - token));
    EVP_DigestFinal_ex(verifier->digest, hash, &hashed);
    size_t der_count = verifier->is_ecdsa ? der_signature(signature, der) : 0;
    if (EVP_PKEY_verify(
            verifier->key,
            verifier->is_ecdsa ? der : signature,
            verifier->is_ecdsa ? der_count : (size_t)signed_count,
            hash,
            sizeof hash
        ) != 1) return 0;
    payload[count] = 0;
    const char *text = (char *)payload, *expiry = claim(text, (size_t)count, "\"exp\":");
    return has_text(text, (size_t)count, "\"iss\":\"", ISSUER) && has_text(text, (size_t)count, "\"aud\":\"", CLIENT_ID)
        && has_text(text, (size_t)count, "\"nonce\":\"", nonce) && expiry && strtol(expiry, NULL, 10) > time(NULL);
}

typedef struct {
    TokenVerifier verifier;
    const char *token, *end;
} Verification;

static void verify(void *context) {
    Verification *work = context;
    if (!token_is_valid(&work->verifier, work->token, work->end, NONCE)) yardstick_fail("a valid token was refused");
}

YardstickResult yardstick_verify(const char *folder, const char *algorithm, double seconds) {
    size_t count;
    Verification work = {.verifier = token_verifier(folder, algorithm)};
    work.token = yardstick_read(folder, work.verifier.is_ecdsa ? "id-token.es256" : "id-token.rs256", &count);
    work.end = work.token + count;
    return measure_repeated(seconds, verify, &work);
}
