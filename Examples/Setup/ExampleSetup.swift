internal import Foundation
package import IdentityHTTP
package import IdentityKit
internal import IdentityPresentation
internal import IdentitySandbox
package import ShopifyStorefront
internal import StorefrontSandbox

/// What an example program gets from its command line: a configuration, and a buyer who signs in.
package struct ExampleSetup: Sendable {
    /// The configuration: the file that `--config` names, or the configuration of an embedded sandbox.
    package let configuration: IdentityConfiguration
    private let sandbox: ShopSandbox?
    private let folder: URL

    /// Runs the example `body`; the process ends with status 1 if the setup or the example throws an error.
    package static func main(_ program: String, _ body: (ExampleSetup) async throws -> Void) async {
        do {
            try await ExampleSetup(program: program).use(body)
        } catch {
            print("✗ \(error)")
            exit(1)
        }
    }

    /// Reads the file after `--config`; without arguments, starts a sandbox.
    private init(program: String) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(program)-\(UUID().uuidString)")
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--config", arguments.count == 2, let path = arguments.last {
            configuration = try IdentityConfiguration(contentsOf: path)
            sandbox = nil
        } else if arguments.isEmpty {
            let sandbox = try await ShopSandbox.start()
            let made = sandbox.labConfiguration(storePath: folder.appendingPathComponent("identity.sqlite").path)
            configuration = try IdentityConfiguration(
                json: made.json.serialized,
                environmentVariables: made.environment
            )
            self.sandbox = sandbox
        } else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The arguments of \(program) are not valid.",
                hint: "Run: \(program) [--config FILE]"
            )
        }
    }

    private func use(_ body: (ExampleSetup) async throws -> Void) async throws {
        do {
            try await body(self)
            await close()
        } catch {
            await close()
            throw IdentityError.wrapping(error)
        }
    }

    private func close() async {
        await sandbox?.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The context of the buyer's requests; a real shop gets no IP address, because this program does not know the buyer's address.
    package var buyer: StorefrontContext { StorefrontContext(buyerIP: sandbox == nil ? nil : "203.0.113.7") }

    /// The id of the first variant that the shop can sell.
    package func variant(in storefront: StorefrontClient) async throws -> String {
        try await storefront.firstAvailableVariant(in: buyer)
    }

    /// The presenter of the login page: with the embedded sandbox its robot, otherwise a browser.
    ///
    /// For an http redirect URI with a loopback address, the presenter opens the system browser and listens for the callback. For another
    /// redirect URI, the user pastes the URL of the callback into the terminal.
    package func presenter(for redirectURI: String?) throws -> any Presenter {
        if sandbox != nil { return SandboxBuyer(transport: try CurlTransport()) }
        guard let url = redirectURI.flatMap({ try? HTTPURL($0) }), !url.isSecure, url.isLoopback else {
            return ManualPresenter { Self.askForCallback(of: $0) }
        }
        return LoopbackPresenter { url, isOpened in
            if !isOpened { print("  Open \(url.text)") }
        }
    }

    /// Signs in on the login page with the sandbox's robot, or asks the user to do it, and returns the URL of the callback.
    package func visit(_ url: HTTPURL, returningTo redirectURI: String?) async throws -> String {
        if sandbox != nil {
            return try await SandboxBuyer(transport: try CurlTransport()).login(at: url.text, redirectURI: redirectURI)
        }
        Self.askForCallback(of: url)
        guard let text = try await StandardInput().nextText() else { throw CancellationError() }
        return text
    }

    private static func askForCallback(of url: HTTPURL) {
        print("  Open \(url.text)\n  Sign in, then paste the URL of the page to which you are redirected:")
    }
}
