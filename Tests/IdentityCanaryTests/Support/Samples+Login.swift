import IdentityHTTP
import IdentityKit
import IdentityPresentation
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import Synchronization

extension Samples {
    /// Values that only a real login and a real cart return.
    static func afterLogin(_ app: CanaryStage.App) async throws -> [Any] {
        let session = try await app.login("shopify")
        let context = StorefrontContext(buyerIP: CanaryStage.buyerIP, country: "US")
        let tokens = try await app.sessions.tokens(for: session.id)
        let line = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 1)
        let cart = try await app.carts.add([line], for: session.id, in: context)
        let handoff = try await app.carts.checkout(for: session.id, in: context)
        let state = try await app.carts.identityState(for: session.id)
        var values: [Any] = [session, tokens, tokens.tokens, cart, cart.cart, cart.cart.id]
        values += [handoff, handoff.url, app.sessions, app.carts] as [Any]
        values.append(cart.cart.buyerIdentity)
        values.append(await app.sessions.readiness())
        values += try await app.sessions.signIns(ofBuyerOf: session.id) as [Any]
        let problem = IdentityError(.retryLater, .throttled, "Too many requests.")
        values.append(CartPartialAddition(added: [line], unknown: [], missing: [line], problem: problem))
        let guest = try await app.sessions.beginGuest()
        _ = try await app.carts.add([line], for: guest.id, in: context)
        let other = try await app.login("shopify")
        values.append(try await app.carts.mergeGuestCart(of: guest.id, into: other.id, in: context))
        values += try await app.carts.otherCarts(ofBuyerOf: session.id) as [Any]
        values.append(try await app.carts.logout(other.id, in: context))
        if let state { values.append(state) }
        values.append(try await app.sessions.withAccessToken(of: session.id) { $0 })
        let options = LogoutOptions(returningTo: "https://app.example/signed-out")
        let second = try await app.login("any")
        let logout = try await app.sessions.logout(second.id, options: options)
        values += [options, try await app.sessions.logout(session.id), logout] as [Any]
        if let awaited = logout.awaitedReturn { values.append(awaited) }
        let refused = await app.sessions.backChannelLogout(provider: "any", body: Array("a=b".utf8), contentType: nil)
        values.append(refused)
        let presenter = FailingPresenter()
        let flow = LoginFlow(provider: "shopify", sessions: app.sessions, presenter: presenter)
        _ = try? await flow.login()
        values.append(flow)
        if let shown = presenter.shown.withLock({ $0 }) { values.append(shown) }
        values.append(LoopbackPresenter(browser: SystemBrowser()))
        values.append(ManualPresenter(announce: { _ in }))
        values.append(IdentityCounters())
        values += try await web(app.stage.canary, session.id)
        values += [CurlTransport.Configuration(), try CurlTransport(), InMemoryStore(), InMemoryLocks()] as [Any]
        values += try await queries(app, cart.cart.id, context)
        return values
    }

    /// Responses of the Storefront client, with and without errors.
    private static func queries(
        _ app: CanaryStage.App,
        _ id: CartID,
        _ context: StorefrontContext
    ) async throws -> [Any] {
        let whole = try await app.storefront.execute(CartQuery(cartID: id, readsCheckoutURL: true), in: context)
        var values: [Any] = [whole, whole.metadata]
        let pages = app.storefront.products(in: context)
        values += [pages, pages.makeAsyncIterator()] as [Any]
        values.append(whole.data as Any)
        app.stage.sandbox.storefront.planFault(.storefrontAccessDenied(path: "cart", "buyerIdentity"), on: .storefront)
        let partial = try await app.storefront.executePartial(CartQuery(cartID: id), in: context)
        values.append(partial)
        values += partial.errors as [Any]
        return values
    }
}
