#pragma once

// libcurl checks types with macros around its variadic functions. The typed functions below do not need these macros.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift cannot call variadic C functions. So most functions below wrap a variadic function of libcurl for one type of value.

static inline CURLcode identity_curl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT);
}

static inline CURLcode identity_curl_set_long(CURL *_Nonnull handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode identity_curl_set_offset(CURL *_Nonnull handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode identity_curl_set_string(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode identity_curl_set_pointer(CURL *_Nonnull handle, CURLoption option, void *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode identity_curl_set_write(CURL *_Nonnull handle, CURLoption option, curl_write_callback _Nonnull value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode identity_curl_set_open_socket(CURL *_Nonnull handle, curl_opensocket_callback _Nonnull value) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode identity_curl_set_close_socket(CURL *_Nonnull handle, curl_closesocket_callback _Nonnull value) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode identity_curl_set_prerequest(CURL *_Nonnull handle, curl_prereq_callback _Nonnull value) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode identity_curl_get_string(CURL *_Nonnull handle, CURLINFO info, char *_Nullable *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode identity_curl_multi_set_long(CURLM *_Nonnull handle, CURLMoption option, long value) {
    return curl_multi_setopt(handle, option, value);
}

static inline CURLMcode identity_curl_multi_set_socket(CURLM *_Nonnull handle, curl_socket_callback _Nonnull value) {
    return curl_multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode identity_curl_multi_set_pointer(CURLM *_Nonnull handle, CURLMoption option, void *_Nonnull value) {
    return curl_multi_setopt(handle, option, value);
}

// Swift does not import the macro CURLVERSION_NOW.
static inline const curl_version_info_data *identity_curl_version_info(void) {
    return curl_version_info(CURLVERSION_NOW);
}
