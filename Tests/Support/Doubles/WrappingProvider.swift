package import IdentityHTTP
package import IdentityKit

/// A provider around another one, for tests that watch, script or break single calls.
///
/// Calls that the wrapper does not implement go to the inner provider. A wrapper has only the optional abilities that it declares itself.
package protocol WrappingProvider: IdentityProvider {
    associatedtype Inner: IdentityProvider

    var inner: Inner { get }
}

extension WrappingProvider {
    package var descriptor: ProviderDescriptor { inner.descriptor }
    package func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        try await inner.authorizationRequest(options)
    }
    package func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        try await inner.exchange(callback, for: attempt)
    }
    package func refresh(_ tokens: TokenSet) async throws -> TokenSet { try await inner.refresh(tokens) }
    package func logoutURL(for tokens: TokenSet, returningTo uri: String?) async throws -> HTTPURL? {
        try await inner.logoutURL(for: tokens, returningTo: uri)
    }
}

// `JournaledRefreshing` has defaults for the same methods. If the wrapper has its own `requestRefresh` and the inner provider has none,
// only `requestRefresh` is scripted: call it instead of `refresh`.
extension WrappingProvider where Self: JournaledRefreshing {
    package func refresh(_ tokens: TokenSet) async throws -> TokenSet { try await inner.refresh(tokens) }
}

extension WrappingProvider where Self: JournaledRefreshing, Inner: JournaledRefreshing {
    package func prepareRefresh(of tokens: TokenSet) async throws { try await inner.prepareRefresh(of: tokens) }
    package func requestRefresh(
        of tokens: TokenSet,
        under lock: HeldLock
    ) async throws(RefreshRefusal) -> RefreshResponse {
        try await inner.requestRefresh(of: tokens, under: lock)
    }
}
