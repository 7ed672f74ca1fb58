#define _GNU_SOURCE
#include "Support.h"
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

// A connection with one running request.
typedef struct {
    int socket;
    size_t received;
    int is_at_token_endpoint;
    LoginValues values;
    char bytes[65536];
} Connection;

typedef struct Client {
    TokenVerifier verifier;
    char *body;
    size_t body_count;
    void (*begin)(struct Client *, Connection *);
    // Returns 1 when the operation is complete, and 0 after it has sent a further request.
    int (*answer)(struct Client *, Connection *, const char *body, size_t count);
} Client;

static void send_all(Connection *connection, const char *bytes, size_t count) {
    connection->received = 0;
    if (write(connection->socket, bytes, count) != (ssize_t)count) yardstick_fail("write");
}

static YardstickResult run(Client *client, int port, int callers, double seconds) {
    int events = epoll_create1(EPOLL_CLOEXEC), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Measurement running = measurement(seconds);
    for (int index = 0; index < callers; index++) {
        Connection *connection = calloc(1, sizeof *connection);
        connection->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (connect(connection->socket, (struct sockaddr *)&address, sizeof address)) yardstick_fail("connect");
        setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        epoll_ctl(events, EPOLL_CTL_ADD, connection->socket, &event);
        client->begin(client, connection);
    }
    for (;;) {
        struct epoll_event ready[64];
        int count = epoll_wait(events, ready, 64, 5000);
        if (count <= 0) yardstick_fail("no response within 5 seconds");
        for (int index = 0; index < count; index++) {
            Connection *connection = ready[index].data.ptr;
            size_t room = sizeof connection->bytes - 1 - connection->received;
            ssize_t read_count = read(connection->socket, connection->bytes + connection->received, room);
            if (read_count <= 0) yardstick_fail("the connection was closed");
            connection->received += (size_t)read_count;
            connection->bytes[connection->received] = 0;
            char *head_end = memmem(connection->bytes, connection->received, "\r\n\r\n", 4);
            if (!head_end) continue;
            char *body = head_end + 4, *length = strcasestr(connection->bytes, "\r\ncontent-length:");
            size_t body_count = length ? strtoul(length + 17, NULL, 10) : 0;
            if (connection->received < (size_t)(body - connection->bytes) + body_count) continue;
            if (!client->answer(client, connection, body, body_count)) continue;
            if (measurement_add(&running)) return running.result;
            client->begin(client, connection);
        }
    }
}

// MARK: Login

static void begin_login(Client *client, Connection *connection) {
    char bytes[2048], *end = bytes + sprintf(bytes, "GET ");
    end = write_authorization_request(&client->verifier, &connection->values, end);
    end += sprintf(end, " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    connection->is_at_token_endpoint = 0;
    send_all(connection, bytes, (size_t)(end - bytes));
}

void check_token_response(
    TokenVerifier *verifier,
    const LoginValues *values,
    const char *head,
    const char *body,
    size_t count
) {
    const char *token = memmem(body, count, "\"id_token\":\"", 12);
    const char *end = token ? strchr(token + 12, '"') : NULL;
    if (memcmp(head, "HTTP/1.1 200", 12) || !end || !token_is_valid(verifier, token + 12, end, values->nonce)) {
        yardstick_fail("the token response is not valid");
    }
}

size_t write_token_request(const LoginValues *values, const char *head, char *form) {
    const char *code = strstr(head, "code="), *end = code ? strchr(code, '&') : NULL;
    if (memcmp(head, "HTTP/1.1 302", 12) || !end || memcmp(end, "&state=", 7) || memcmp(end + 7, values->state, 43)) {
        yardstick_fail("the redirect is not valid");
    }
    char *out = form;
    out += sprintf(out, "grant_type=authorization_code&code=%.*s&redirect_uri=", (int)(end - code - 5), code + 5);
    out += percent_encode(REDIRECT_URI, out);
    out += sprintf(out, "&client_id=" CLIENT_ID "&code_verifier=%s", values->verifier);
    return (size_t)(out - form);
}

static int answer_login(Client *client, Connection *connection, const char *body, size_t count) {
    if (connection->is_at_token_endpoint) {
        check_token_response(&client->verifier, &connection->values, connection->bytes, body, count);
        return 1;
    }
    char form[1024], request[2048];
    size_t form_count = write_token_request(&connection->values, connection->bytes, form);
    int request_count = sprintf(
        request,
        "POST /token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        "Content-Length: %zu\r\n\r\n%s",
        form_count,
        form
    );
    connection->is_at_token_endpoint = 1;
    send_all(connection, request, (size_t)request_count);
    return 0;
}

YardstickResult yardstick_login(const char *folder, int port, int callers, double seconds) {
    Client client = {.verifier = token_verifier(folder, "RS256"), .begin = begin_login, .answer = answer_login};
    return run(&client, port, callers, seconds);
}

// MARK: GraphQL

static void begin_cart(Client *client, Connection *connection) {
    char bytes[65536];
    int count = sprintf(
        bytes,
        "POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
        client->body_count
    );
    memcpy(bytes + count, client->body, client->body_count);
    send_all(connection, bytes, (size_t)count + client->body_count);
}

static int answer_cart(Client *client, Connection *connection, const char *body, size_t count) {
    static const char *const fields[] = {
        "\"cartCreate\"", "\"id\"", "\"totalQuantity\"", "\"subtotalAmount\"", "\"lines\"",
        "\"merchandise\"", "\"product\"", "\"pageInfo\"", "\"userErrors\"",
    };
    (void)client;
    if (memcmp(connection->bytes, "HTTP/1.1 200", 12)) yardstick_fail("the response to cartCreate has another status than 200");
    for (size_t index = 0; index < sizeof fields / sizeof *fields; index++) {
        if (!memmem(body, count, fields[index], strlen(fields[index]))) yardstick_fail(fields[index]);
    }
    return 1;
}

YardstickResult yardstick_cart_create(const char *folder, int port, int callers, double seconds) {
    Client client = {.begin = begin_cart, .answer = answer_cart};
    client.body = yardstick_read(folder, "request.json", &client.body_count);
    return run(&client, port, callers, seconds);
}

// MARK: libcurl

typedef struct {
    CURL *handle;
    size_t received;
    char bytes[65536];
} Transfer;

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    Transfer *transfer = context;
    count *= size;
    if (transfer->received + count > sizeof transfer->bytes) return 0;
    memcpy(transfer->bytes + transfer->received, bytes, count);
    transfer->received += count;
    return count;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

YardstickResult yardstick_post(const char *folder, int port, int callers, double seconds) {
    size_t body_count;
    char *body = yardstick_read(folder, "request.json", &body_count), url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/graphql", port);
    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *transfers = curl_multi_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    Measurement running = measurement(seconds);
    for (int index = 0; index < callers; index++) {
        Transfer *transfer = calloc(1, sizeof *transfer);
        CURL *handle = transfer->handle = curl_easy_init();
        curl_easy_setopt(handle, CURLOPT_URL, url);
        curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, (long)body_count);
        curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, transfer);
        curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, ignore);
        curl_easy_setopt(handle, CURLOPT_PRIVATE, transfer);
        curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(handle, CURLOPT_PROXY, "");
        curl_multi_add_handle(transfers, handle);
    }
    for (;;) {
        int active, left, is_idle = 1;
        curl_multi_perform(transfers, &active);
        for (CURLMsg *message; (message = curl_multi_info_read(transfers, &left));) {
            long status = 0;
            Transfer *transfer = NULL;
            if (message->msg != CURLMSG_DONE) continue;
            CURL *handle = message->easy_handle;
            if (message->data.result) yardstick_fail(curl_easy_strerror(message->data.result));
            curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
            curl_easy_getinfo(handle, CURLINFO_PRIVATE, (char **)&transfer);
            if (status != 200 || !transfer->received) yardstick_fail("the response to a POST is not valid");
            is_idle = 0;
            curl_multi_remove_handle(transfers, handle);
            if (measurement_add(&running)) return running.result;
            transfer->received = 0;
            curl_multi_add_handle(transfers, handle);
        }
        if (is_idle) curl_multi_poll(transfers, NULL, 0, 1000, NULL);
    }
}
