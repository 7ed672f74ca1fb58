// Whoever opens a store needs a StoreKey: one import is enough.
@_exported public import IdentityStoreKit
