#pragma once

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

// Swift does not import EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR, because these macros are built from other macros.
static inline int identity_public_key_selection(void) { return EVP_PKEY_PUBLIC_KEY; }
static inline int identity_key_pair_selection(void) { return EVP_PKEY_KEYPAIR; }
