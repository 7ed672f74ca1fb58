internal import Foundation
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySandbox
internal import TestDoubles

/// Counts what the buyers did, and collects their failures.
actor Tally {
    private var counts: [String: Int] = [:]
    private(set) var failures: [String] = []

    var summary: String {
        counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }

    func count(_ name: String) { counts[name, default: 0] += 1 }
    func fail(_ text: String) { failures.append(text) }
}

/// One buyer with a browser: fills a cart as a guest, signs in, and then browses and changes the cart until the time is up.
final class LoadBuyer {
    private let number: Int
    private let origin: String
    private let nodes: [String]
    private let provider: String
    private let hands: SandboxBuyer
    private let transport: CurlTransport
    private let tally: Tally
    private var cookies: [String: String] = [:]
    /// How many items the cart must have.
    private var items = 0
    /// The generator has a seed, so that a run can be repeated.
    private var random: SeededGenerator

    init(_ number: Int, _ origin: String, _ nodes: [String], _ transport: CurlTransport, _ tally: Tally) {
        self.number = number
        self.origin = origin
        self.nodes = nodes
        self.transport = transport
        self.tally = tally
        provider = ["shopify", "any", "bolt"][number % 3]
        hands = SandboxBuyer(email: "buyer\(number)@example.com")
        random = SeededGenerator(seed: UInt64(number))
    }

    func run(from start: ContinuousClock.Instant, for seconds: Int) async {
        let end = start + .seconds(seconds)
        do {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...min(20_000, seconds * 250), using: &random)))
            try await add()
            try await signIn()
            while ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(Int.random(in: 500...4_000, using: &random)))
                switch Int.random(in: 0..<10, using: &random) {
                case 0...2:
                    try await expectPage(["/", "/?q=mug", "/?collection=games"].randomElement(using: &random) ?? "/")
                case 3, 4: try await expectPage("/products/analytical-mug")
                case 5, 6: try await add()
                case 7: try await remove()
                case 8: try await checkCart()
                default: try await expectPage("/account")
                }
                await tally.count("actions")
            }
            for node in nodes { try await checkCart(at: node) }
        } catch {
            await tally.fail("buyer \(number) (\(provider)): \(error)")
        }
    }

    // MARK: Actions

    private func add() async throws {
        let answer = try await send(.post, "/cart/add", "variant=gid%3A%2F%2Fshopify%2FProductVariant%2F1&quantity=1")
        guard answer.status == 303, answer.headers["Location"]?.contains("notice=added") == true else {
            throw Problem(answer, "/cart/add")
        }
        items += 1
    }

    private func remove() async throws {
        let page = try await expectPage("/cart")
        guard let line = Self.between("name=\"line\" value=\"", "\"", in: page),
            let field = page.range(of: "name=\"quantity\""),
            let quantity = Self.between("value=\"", "\"", in: String(page[field.upperBound...])).flatMap({ Int($0) })
        else { return }
        let escaped = line.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await send(.post, "/cart/update", "line=\(escaped)&quantity=0&remove=yes")
        guard answer.status == 303, answer.headers["Location"]?.contains("notice=saved") == true else {
            throw Problem(answer, "/cart/update")
        }
        items -= quantity
    }

    private func checkCart(at node: String? = nil) async throws {
        let answer = try await send(.get, "/cart", at: node)
        let text = String(decoding: answer.body, as: UTF8.self)
        guard answer.status == 200, text.contains("signed in with") else { throw Problem(answer, "/cart") }
        let shown = items == 0 ? "Your cart is empty" : "<p>\(items) item"
        guard text.contains(shown) else {
            throw Problem(
                description: "the cart should have \(items) items: \(Self.between("<p>", " <strong>", in: text) ?? "")"
            )
        }
        await tally.count("carts checked")
    }

    @discardableResult
    private func expectPage(_ path: String) async throws -> String {
        let answer = try await send(.get, path)
        guard answer.status == 200 else { throw Problem(answer, path) }
        return String(decoding: answer.body, as: UTF8.self)
    }

    private func signIn() async throws {
        let begun = try await send(.get, "/auth/login/\(provider)?return=/cart")
        guard begun.status == 303, let url = begun.headers["Location"] else { throw Problem(begun, "login") }
        let redirectURI = "\(origin)/auth/callback/\(provider)"
        let callback = try await hands.callback(at: url, redirectURI: redirectURI).url
        let done = try await send(.get, String(callback.dropFirst(origin.utf8.count)))
        guard done.status == 303, done.headers["Location"] == "/cart" else { throw Problem(done, "callback") }
        await tally.count("sign-ins")
        try await checkCart()
    }

    // MARK: The browser

    private struct Problem: Error, CustomStringConvertible {
        let description: String

        init(description: String) { self.description = description }

        init(_ answer: HTTPResponse, _ path: String) {
            let text = LoadBuyer.between("<h1>", "</h1>", in: String(decoding: answer.body, as: UTF8.self)) ?? ""
            description = "\(path): \(answer.status) \(answer.headers["Location"] ?? "") \(text)"
        }
    }

    private func send(
        _ method: HTTPMethod,
        _ path: String,
        _ form: String? = nil,
        at node: String? = nil
    ) async throws
        -> HTTPResponse
    {
        // The buyer works like a load balancer: it chooses a node at random, and another node if that one does not accept connections.
        let start = Int.random(in: 0..<nodes.count, using: &random)
        var failure: any Error = CancellationError()
        for attempt in 0..<(node == nil ? 6 : 60) {
            let target = node ?? nodes[(start + attempt) % nodes.count]
            let limits = HTTPLimits(firstByteTimeout: .seconds(60), totalTimeout: .seconds(90))
            var request = HTTPRequest(
                method: method,
                url: try HTTPURL(target + path),
                limits: limits,
                allowsLoopbackHTTP: true
            )
            try request.headers.set("Sec-Fetch-Site", "same-origin")
            try request.headers.set("X-Forwarded-For", "203.0.\(number / 250).\(number % 250 + 1)")
            if !cookies.isEmpty {
                try request.headers.set("Cookie", cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "))
            }
            if let form {
                try request.headers.set("Content-Type", "application/x-www-form-urlencoded")
                request.body = Array(form.utf8)
            }
            do {
                let answer = try await transport.send(request)
                for line in answer.headers.values(for: "Set-Cookie") { keep(line) }
                return answer
            } catch {
                guard error.phase == .notSent else { throw error }
                failure = error
                await tally.count("rerouted")
                try await Task.sleep(for: .milliseconds(node == nil ? 100 : 500))
            }
        }
        throw failure
    }

    private func keep(_ line: String) {
        let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else { return }
        cookies[String(pair[0])] = line.contains("Max-Age=0") ? nil : String(pair[1])
    }

    fileprivate static func between(_ start: String, _ end: String, in text: String) -> String? {
        guard let first = text.range(of: start), let last = text[first.upperBound...].range(of: end) else { return nil }
        return String(text[first.upperBound..<last.lowerBound])
    }
}
