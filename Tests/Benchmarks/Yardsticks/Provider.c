#define _GNU_SOURCE
#include "Support.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// A server with one thread. Its responses are prepared in memory; the ID token of a login is signed once for each nonce.

static char *metadata, *keys, *cart;
static EVP_PKEY *rsa, *ec;
static uint64_t logins;

static size_t number_text(EVP_PKEY *key, const char *name, char *out) {
    BIGNUM *number = NULL;
    uint8_t bytes[512];
    if (!EVP_PKEY_get_bn_param(key, name, &number)) yardstick_fail(name);
    int count = strcmp(name, "n") && strcmp(name, "e") ? 32 : BN_num_bytes(number);
    BN_bn2binpad(number, bytes, count);
    BN_free(number);
    size_t written = base64url_encode(bytes, (size_t)count, out);
    out[written] = 0;
    return written;
}

// Writes a signed token of the claims.
static void sign(EVP_PKEY *key, const char *claims, char *out) {
    int is_ecdsa = key == ec;
    const char *header = is_ecdsa ? "{\"alg\":\"ES256\",\"kid\":\"ec\"}" : "{\"alg\":\"RS256\",\"kid\":\"rsa\"}";
    char *end = out + base64url_encode((const uint8_t *)header, strlen(header), out);
    *end++ = '.';
    end += base64url_encode((const uint8_t *)claims, strlen(claims), end);
    uint8_t signature[512], numbers[64];
    size_t count = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, key) <= 0
        || EVP_DigestSign(context, signature, &count, (const uint8_t *)out, (size_t)(end - out)) <= 0) {
        yardstick_fail("sign");
    }
    EVP_MD_CTX_free(context);
    const uint8_t *bytes = signature;
    if (is_ecdsa) {
        const uint8_t *der = signature;
        ECDSA_SIG *parts = d2i_ECDSA_SIG(NULL, &der, (long)count);
        BN_bn2binpad(ECDSA_SIG_get0_r(parts), numbers, 32);
        BN_bn2binpad(ECDSA_SIG_get0_s(parts), numbers + 32, 32);
        ECDSA_SIG_free(parts);
        bytes = numbers;
        count = 64;
    }
    *end++ = '.';
    end += base64url_encode(bytes, count, end);
    *end = 0;
}

static void write_key(const char *folder, const char *name, EVP_PKEY *key) {
    char *text;
    BIO *memory = BIO_new(BIO_s_mem());
    PEM_write_bio_PUBKEY(memory, key);
    BIO_write(memory, "", 1);
    BIO_get_mem_data(memory, &text);
    yardstick_write(folder, name, text);
    BIO_free(memory);
}

static void id_token(EVP_PKEY *key, const char *nonce, char *out) {
    char claims[1024];
    long now = (long)time(NULL);
    snprintf(
        claims,
        sizeof claims,
        "{\"iss\":\"" ISSUER "\",\"aud\":\"" CLIENT_ID "\",\"sub\":\"buyer-%lu\",\"iat\":%ld,\"exp\":%ld,"
        "\"auth_time\":%ld,\"nonce\":\"%s\",\"email\":\"buyer@shop.example\",\"email_verified\":true}",
        (unsigned long)logins,
        now,
        now + 7200,
        now,
        nonce
    );
    sign(key, claims, out);
}

// The token of a login, signed when its nonce is used first. The clients use NONCES nonces, so there are as many buyers. If each token were
// signed for its login, the rate of this server would limit the clients, which then need more system calls for each login.
static const char *login_token(const char *nonce) {
    static struct {
        char nonce[64], token[4096];
    } known[NONCES];
    static unsigned count;
    for (unsigned index = 0; index < count; index++) {
        if (!strcmp(known[index].nonce, nonce)) return known[index].token;
    }
    if (count == NONCES) yardstick_fail("too many nonces");
    snprintf(known[count].nonce, sizeof known[count].nonce, "%s", nonce);
    id_token(rsa, nonce, known[count].token);
    return known[count++].token;
}

static void logout_token(EVP_PKEY *key, char *out) {
    char claims[1024];
    long now = (long)time(NULL);
    snprintf(
        claims,
        sizeof claims,
        "{\"iss\":\"" ISSUER "\",\"aud\":\"" CLIENT_ID "\",\"sub\":\"buyer-0\",\"iat\":%ld,\"exp\":%ld,"
        "\"jti\":\"logout-1\",\"events\":{\"http://schemas.openid.net/event/backchannel-logout\":{}}}",
        now,
        now + 7200
    );
    sign(key, claims, out);
}

// MARK: Requests

static void respond(int socket, const char *status, const char *header, const char *body) {
    static char out[65536];
    int count = snprintf(
        out,
        sizeof out,
        "HTTP/1.1 %s\r\n%s%sContent-Length: %zu\r\n\r\n%s",
        status,
        header ? "Location: " : "Content-Type: application/json",
        header ? header : "\r\n",
        strlen(body),
        body
    );
    if (count >= (int)sizeof out || write(socket, out, (size_t)count) != count) yardstick_fail("respond");
}

// Copies the value of a parameter unchanged; the values of the benchmark need no decoding.
static void parameter(const char *text, const char *name, char *out, size_t room) {
    const char *value = strstr(text, name);
    size_t count = value ? strcspn(value + strlen(name), "& \r\n") : 0;
    if (count >= room) count = room - 1;
    if (value) memcpy(out, value + strlen(name), count);
    out[count] = 0;
}

static void handle(int socket, const char *request, const char *body) {
    if (!strncmp(request, "GET /.well-known/", 17)) return respond(socket, "200 OK", NULL, metadata);
    if (!strncmp(request, "GET /jwks", 9)) return respond(socket, "200 OK", NULL, keys);
    if (!strncmp(request, "POST /graphql", 13)) return respond(socket, "200 OK", NULL, cart);
    if (!strncmp(request, "GET /authorize", 14)) {
        char state[128], nonce[128], location[512];
        parameter(request, "&state=", state, sizeof state);
        parameter(request, "&nonce=", nonce, sizeof nonce);
        // The code is the nonce, so that nothing has to be remembered until the token request.
        snprintf(location, sizeof location, REDIRECT_URI "?code=%s&state=%s&iss=" ISSUER "\r\n", nonce, state);
        return respond(socket, "302 Found", location, "");
    }
    if (!strncmp(request, "POST /token", 11)) {
        char nonce[128], answer[8192];
        parameter(body, "code=", nonce, sizeof nonce);
        const char *token = login_token(nonce);
        logins++;
        snprintf(
            answer,
            sizeof answer,
            "{\"access_token\":\"access-token-%020lu\",\"refresh_token\":\"refresh-token-%020lu\","
            "\"token_type\":\"Bearer\",\"expires_in\":7200,\"scope\":\"" SCOPE "\",\"id_token\":\"%s\"}",
            (unsigned long)logins,
            (unsigned long)logins,
            token
        );
        return respond(socket, "200 OK", NULL, answer);
    }
    respond(socket, "404 Not Found", NULL, "{}");
}

typedef struct {
    int socket;
    size_t received;
    char bytes[65536];
} Request;

static void receive(Request *connection, int events) {
    size_t room = sizeof connection->bytes - 1 - connection->received;
    ssize_t count = read(connection->socket, connection->bytes + connection->received, room);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
        epoll_ctl(events, EPOLL_CTL_DEL, connection->socket, NULL);
        close(connection->socket);
        free(connection);
        return;
    }
    connection->received += (size_t)count;
    connection->bytes[connection->received] = 0;
    char *head_end = memmem(connection->bytes, connection->received, "\r\n\r\n", 4);
    if (!head_end) return;
    char *body = head_end + 4, *length = strcasestr(connection->bytes, "\r\ncontent-length:");
    size_t body_count = length && length < body ? strtoul(length + 17, NULL, 10) : 0;
    if (connection->received < (size_t)(body - connection->bytes) + body_count) return;
    connection->received = 0;
    handle(connection->socket, connection->bytes, body);
}

static void prepare(const char *folder, int port) {
    char *text = malloc(16384), modulus[512], exponent[16], x[64], y[64];
    metadata = malloc(4096);
    keys = malloc(4096);
    rsa = EVP_RSA_gen(2048);
    ec = EVP_EC_gen("P-256");
    write_key(folder, "rs256.pem", rsa);
    write_key(folder, "es256.pem", ec);
    id_token(rsa, NONCE, text);
    yardstick_write(folder, "id-token.rs256", text);
    id_token(ec, NONCE, text);
    yardstick_write(folder, "id-token.es256", text);
    logout_token(rsa, text);
    yardstick_write(folder, "logout-token.rs256", text);
    logout_token(ec, text);
    yardstick_write(folder, "logout-token.es256", text);
    number_text(rsa, "n", modulus);
    number_text(rsa, "e", exponent);
    number_text(ec, OSSL_PKEY_PARAM_EC_PUB_X, x);
    number_text(ec, OSSL_PKEY_PARAM_EC_PUB_Y, y);
    snprintf(
        keys,
        4096,
        "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"rsa\",\"alg\":\"RS256\",\"use\":\"sig\",\"n\":\"%s\",\"e\":\"%s\"},"
        "{\"kty\":\"EC\",\"kid\":\"ec\",\"alg\":\"ES256\",\"use\":\"sig\",\"crv\":\"P-256\",\"x\":\"%s\",\"y\":\"%s\"}]}",
        modulus,
        exponent,
        x,
        y
    );
    snprintf(
        metadata,
        4096,
        "{\"issuer\":\"" ISSUER "\",\"authorization_endpoint\":\"http://127.0.0.1:%d/authorize\","
        "\"token_endpoint\":\"http://127.0.0.1:%d/token\",\"jwks_uri\":\"http://127.0.0.1:%d/jwks\","
        "\"response_types_supported\":[\"code\"],\"subject_types_supported\":[\"public\"],"
        "\"id_token_signing_alg_values_supported\":[\"RS256\",\"ES256\"],"
        "\"code_challenge_methods_supported\":[\"S256\"],\"token_endpoint_auth_methods_supported\":[\"none\"],"
        "\"authorization_response_iss_parameter_supported\":true}",
        port,
        port,
        port
    );
    cart = yardstick_read(folder, "cart.json", NULL);
    free(text);
}

void yardstick_serve(const char *folder) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024)
        || getsockname(listener, (struct sockaddr *)&address, &size)) {
        yardstick_fail("listen");
    }
    prepare(folder, ntohs(address.sin_port));
    int events = epoll_create1(EPOLL_CLOEXEC);
    static Request ended;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(events, EPOLL_CTL_ADD, listener, &event);
    event.data.ptr = &ended;
    epoll_ctl(events, EPOLL_CTL_ADD, STDIN_FILENO, &event);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        struct epoll_event ready[64];
        int count = epoll_wait(events, ready, 64, -1);
        for (int index = 0; index < count; index++) {
            Request *connection = ready[index].data.ptr;
            if (connection == &ended) return;
            if (connection) {
                receive(connection, events);
                continue;
            }
            int socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
            if (socket < 0) continue;
            setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            connection = calloc(1, sizeof *connection);
            connection->socket = socket;
            event.data.ptr = connection;
            epoll_ctl(events, EPOLL_CTL_ADD, socket, &event);
        }
    }
}
