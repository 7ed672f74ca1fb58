#if PostgreSQL
// Opening a store needs a StoreKey: with this, one import is enough.
@_exported public import IdentityStoreKit
#endif
