import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import TestDoubles
import Testing

/// A presenter that requests the login page, and then does what the test says with it.
private struct ScriptedPresenter: Presenter {
    let answer: @Sendable (_ page: String, _ redirectURI: String?) async throws -> String

    func present(_ login: PresentedLogin) async throws -> String {
        let page = try await login.authorizationURL(redirectURI: login.redirectURI)
        return try await answer(page.text, login.redirectURI)
    }
}

@Suite("Presenters of AuthClient")
struct AuthClientPresenterTests {
    private static let redirectURI = "shop.82920341806.app://callback"

    @Sendable private static func callback(_ page: String) async throws -> String {
        try await SandboxBuyer().login(at: page, redirectURI: redirectURI)
    }

    @Test("a presenter cannot complete its login with the callback of another login of the client")
    func callbackOfOtherLogin() async throws {
        let shop = try await Shop(.publicMobile)
        let client = AuthClient(provider: try shop.provider())
        let other = try await Self.callback(try await client.buildAuthorizationUrl())
        let presenter = ScriptedPresenter { _, _ in other }
        #expect(await failure { try await client.login(with: presenter) }?.code == .stateUnknown)
        #expect(client.currentTokens == nil)
        _ = try await client.completeLogin(url: try #require(URL(string: other)))
    }

    @Test(
        "a late callback of a login that its presenter cancelled signs nobody in, and does not call the delegate again"
    )
    func lateCallback() async throws {
        let shop = try await Shop(.publicMobile)
        let listener = Listener()
        let client = AuthClient(provider: try shop.provider())
        client.delegate = listener
        let shown = AsyncStream.makeStream(of: String.self)
        let presenter = ScriptedPresenter { page, _ in
            shown.continuation.yield(page)
            throw CancellationError()
        }
        await client.startLogin(with: presenter).finished()
        var pages = shown.stream.makeAsyncIterator()
        let late = try await Self.callback(try #require(await pages.next()))
        await client.continueLogin(url: try #require(URL(string: late)))?.finished()
        #expect(listener.heard.count == 1 && client.currentTokens == nil)
    }

    @Test("the redirect URI of a login's options reaches the presenter")
    func redirectURIOfOptions() async throws {
        let shop = try await Shop(.publicMobile)
        let client = AuthClient(provider: try shop.provider())
        var options = LoginOptions()
        options.redirectURI = "shop.82920341806.app://other"
        let presenter = ScriptedPresenter { page, redirectURI in
            #expect(redirectURI == "shop.82920341806.app://other" && page.contains("other"))
            throw CancellationError()
        }
        #expect(await failure { try await client.login(with: presenter, options: options) }?.kind == .cancelled)
    }
}
