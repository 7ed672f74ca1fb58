#define _GNU_SOURCE
#include "Support.h"
#include <curl/curl.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

// libcurl on a thread of its own, and callers on one thread for each processor: the least that a client with libcurl and asynchronous
// calls can cost, because one thread runs libcurl, and many callers wait for responses without blocking a thread each.

// A caller with one running request.
typedef struct Caller {
    struct Caller *next;
    CURL *handle;
    LoginValues values;
    int is_at_token_endpoint;
    char url[2048], form[1024];
    const char *body;
    size_t body_count;
    size_t head_count, received;
    char head[8192], bytes[65536];
} Caller;

// A list with first in, first out.
typedef struct {
    Caller *first, **end;
} Queue;

typedef struct Work {
    const char *folder;
    int port;
    char *body;
    size_t body_count;
    const char *content_type;
    // Prepares the caller's first request.
    void (*begin)(struct Work *, TokenVerifier *, Caller *);
    // Returns 1 when the operation is complete, and 0 when it has prepared a further request.
    int (*answer)(struct Work *, TokenVerifier *, Caller *);

    pthread_mutex_t lock;
    pthread_cond_t has_ready;
    Queue submitted, ready;
    int idle_workers, has_result, wake;
    // Whether the loop waits, so that a submission has to wake it.
    int is_waiting;
    Measurement running;
} Work;

static void push(Queue *queue, Caller *caller) {
    caller->next = NULL;
    *(queue->first ? queue->end : &queue->first) = caller;
    queue->end = &caller->next;
}

static size_t receive_head(char *bytes, size_t size, size_t count, void *context) {
    Caller *caller = context;
    count *= size;
    if (caller->head_count + count >= sizeof caller->head) return 0;
    memcpy(caller->head + caller->head_count, bytes, count);
    caller->head_count += count;
    return count;
}

static size_t receive_body(char *bytes, size_t size, size_t count, void *context) {
    Caller *caller = context;
    count *= size;
    if (caller->received + count >= sizeof caller->bytes) return 0;
    memcpy(caller->bytes + caller->received, bytes, count);
    caller->received += count;
    return count;
}

// MARK: The thread of libcurl

static int socket_changed(CURL *easy, curl_socket_t socket, int change, void *context, void *known) {
    (void)easy;
    (void)known;
    int events = *(int *)context;
    struct epoll_event event = {.data.fd = socket};
    event.events = (change & CURL_POLL_IN ? EPOLLIN : 0u) | (change & CURL_POLL_OUT ? EPOLLOUT : 0u);
    // The socket of an idle connection stays registered for reading.
    if (change == CURL_POLL_REMOVE) return 0;
    if (epoll_ctl(events, EPOLL_CTL_MOD, socket, &event)) epoll_ctl(events, EPOLL_CTL_ADD, socket, &event);
    return 0;
}

static void start(CURLM *transfers, Caller *caller, struct curl_slist *headers) {
    CURL *handle = caller->handle;
    if (!handle) {
        handle = caller->handle = curl_easy_init();
        curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive_body);
        curl_easy_setopt(handle, CURLOPT_WRITEDATA, caller);
        curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, receive_head);
        curl_easy_setopt(handle, CURLOPT_HEADERDATA, caller);
        curl_easy_setopt(handle, CURLOPT_PRIVATE, caller);
        curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(handle, CURLOPT_PROXY, "");
    }
    caller->head_count = caller->received = 0;
    curl_easy_setopt(handle, CURLOPT_URL, caller->url);
    if (caller->body) {
        curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, (long)caller->body_count);
        curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, caller->body);
        curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
    } else {
        curl_easy_setopt(handle, CURLOPT_HTTPGET, 1L);
        curl_easy_setopt(handle, CURLOPT_HTTPHEADER, NULL);
    }
    curl_multi_add_handle(transfers, handle);
}

static void *run_libcurl(void *context) {
    Work *work = context;
    int events = epoll_create1(EPOLL_CLOEXEC), active, left;
    struct epoll_event wake = {.events = EPOLLIN, .data.fd = work->wake};
    epoll_ctl(events, EPOLL_CTL_ADD, work->wake, &wake);
    CURLM *transfers = curl_multi_init();
    curl_multi_setopt(transfers, CURLMOPT_SOCKETFUNCTION, socket_changed);
    curl_multi_setopt(transfers, CURLMOPT_SOCKETDATA, &events);
    struct curl_slist *headers = curl_slist_append(NULL, work->content_type);
    for (;;) {
        pthread_mutex_lock(&work->lock);
        Caller *caller = work->submitted.first;
        work->submitted.first = NULL;
        work->is_waiting = 0;
        pthread_mutex_unlock(&work->lock);
        while (caller) {
            Caller *next = caller->next;
            start(transfers, caller, headers);
            caller = next;
        }
        long timeout = -1;
        curl_multi_timeout(transfers, &timeout);
        if (!timeout) curl_multi_socket_action(transfers, CURL_SOCKET_TIMEOUT, 0, &active);
        Queue finished = {0};
        int count = 0;
        for (CURLMsg *message; (message = curl_multi_info_read(transfers, &left));) {
            if (message->data.result) yardstick_fail(curl_easy_strerror(message->data.result));
            CURL *handle = message->easy_handle;
            curl_easy_getinfo(handle, CURLINFO_PRIVATE, (char **)&caller);
            curl_multi_remove_handle(transfers, handle);
            push(&finished, caller);
            count++;
        }
        pthread_mutex_lock(&work->lock);
        if (count) {
            *(work->ready.first ? work->ready.end : &work->ready.first) = finished.first;
            work->ready.end = finished.end;
        }
        int sleepers = work->idle_workers < count ? work->idle_workers : count;
        int has_work = count || work->submitted.first;
        work->is_waiting = !has_work;
        pthread_mutex_unlock(&work->lock);
        while (sleepers-- > 0) pthread_cond_signal(&work->has_ready);
        struct epoll_event happened[64];
        int happened_count = epoll_wait(events, happened, 64, has_work ? 0 : timeout < 0 ? 1000 : (int)timeout);
        for (int index = 0; index < happened_count; index++) {
            int socket = happened[index].data.fd;
            uint64_t value;
            if (socket == work->wake) {
                if (read(socket, &value, sizeof value) < 0) yardstick_fail("read of an eventfd");
                continue;
            }
            int actions = (happened[index].events & EPOLLIN ? CURL_CSELECT_IN : 0)
                | (happened[index].events & EPOLLOUT ? CURL_CSELECT_OUT : 0);
            curl_multi_socket_action(transfers, socket, actions, &active);
        }
    }
    return NULL;
}

// MARK: The threads of the callers

static void *run_callers(void *context) {
    Work *work = context;
    TokenVerifier verifier = token_verifier(work->folder, "RS256");
    pthread_mutex_lock(&work->lock);
    while (!work->has_result) {
        if (!work->ready.first) {
            work->idle_workers++;
            pthread_cond_wait(&work->has_ready, &work->lock);
            work->idle_workers--;
            continue;
        }
        Caller *caller = work->ready.first;
        work->ready.first = caller->next;
        pthread_mutex_unlock(&work->lock);
        int is_complete = !caller->head_count || work->answer(work, &verifier, caller);
        if (is_complete) work->begin(work, &verifier, caller);
        pthread_mutex_lock(&work->lock);
        if (is_complete && caller->head_count && !work->has_result && measurement_add(&work->running)) {
            work->has_result = 1;
            pthread_cond_broadcast(&work->has_ready);
        }
        push(&work->submitted, caller);
        int must_wake = work->is_waiting;
        work->is_waiting = 0;
        if (must_wake) {
            pthread_mutex_unlock(&work->lock);
            uint64_t one = 1;
            if (write(work->wake, &one, sizeof one) < 0) yardstick_fail("write to an eventfd");
            pthread_mutex_lock(&work->lock);
        }
    }
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

static YardstickResult run(const Work *prepared, int callers, double seconds) {
    // libcurl's thread goes on until the process ends, so what it uses is never freed.
    Work *work = malloc(sizeof *work);
    *work = *prepared;
    curl_global_init(CURL_GLOBAL_ALL);
    // The first call fills a table that all threads read.
    uint8_t byte[3];
    base64url_decode("AAAA", 4, byte);
    pthread_mutex_init(&work->lock, NULL);
    pthread_cond_init(&work->has_ready, NULL);
    work->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    work->running = measurement(seconds);
    for (int index = 0; index < callers; index++) push(&work->ready, calloc(1, sizeof(Caller)));
    pthread_t thread, workers[64];
    pthread_create(&thread, NULL, run_libcurl, work);
    long processors = sysconf(_SC_NPROCESSORS_ONLN), count = processors < 64 ? processors : 64;
    for (long index = 0; index < count; index++) pthread_create(&workers[index], NULL, run_callers, work);
    // The callers use OpenSSL, which the end of the process cleans up.
    for (long index = 0; index < count; index++) pthread_join(workers[index], NULL);
    return work->running.result;
}

// MARK: GraphQL

static void begin_post(Work *work, TokenVerifier *verifier, Caller *caller) {
    (void)verifier;
    snprintf(caller->url, sizeof caller->url, "http://127.0.0.1:%d/graphql", work->port);
    caller->body = work->body;
    caller->body_count = work->body_count;
}

static int answer_post(Work *work, TokenVerifier *verifier, Caller *caller) {
    (void)work;
    (void)verifier;
    if (memcmp(caller->head, "HTTP/1.1 200", 12) || !caller->received) yardstick_fail("the response to a POST is not valid");
    return 1;
}

YardstickResult yardstick_threaded_post(const char *folder, int port, int callers, double seconds) {
    Work work = {.folder = folder, .port = port, .begin = begin_post, .answer = answer_post};
    work.content_type = "Content-Type: application/json";
    work.body = yardstick_read(folder, "request.json", &work.body_count);
    return run(&work, callers, seconds);
}

// MARK: Login

static void begin_login(Work *work, TokenVerifier *verifier, Caller *caller) {
    int count = snprintf(caller->url, sizeof caller->url, "http://127.0.0.1:%d", work->port);
    write_authorization_request(verifier, &caller->values, caller->url + count);
    caller->is_at_token_endpoint = 0;
    caller->body = NULL;
}

static int answer_login(Work *work, TokenVerifier *verifier, Caller *caller) {
    caller->head[caller->head_count] = caller->bytes[caller->received] = 0;
    if (caller->is_at_token_endpoint) {
        check_token_response(verifier, &caller->values, caller->head, caller->bytes, caller->received);
        return 1;
    }
    caller->body_count = write_token_request(&caller->values, caller->head, caller->form);
    caller->body = caller->form;
    snprintf(caller->url, sizeof caller->url, "http://127.0.0.1:%d/token", work->port);
    caller->is_at_token_endpoint = 1;
    return 0;
}

YardstickResult yardstick_threaded_login(const char *folder, int port, int callers, double seconds) {
    Work work = {.folder = folder, .port = port, .begin = begin_login, .answer = answer_login};
    work.content_type = "Content-Type: application/x-www-form-urlencoded";
    return run(&work, callers, seconds);
}
