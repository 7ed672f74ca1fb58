#if PostgreSQL
// Opening a store needs a StoreKey. With this re-export, an app needs one import only.
@_exported public import IdentityStoreKit
#endif
