import Foundation
import IdentityKit
import IdentityPlatform
import TestDirectories
import TestProcesses
import Testing

@Suite(
    "The web shop behind a proxy that ends TLS",
    .serialized,
    .enabled(if: Proxy.isEnabled, "Tests/Proofs/browser-over-tls (the web shop in a browser over TLS)")
)
struct TLSTests {
    @Test(
        "with https, the cookies have the prefix __Host- and Secure, and a buyer signs in, checks out and signs out",
        arguments: ["shopify", "any-form-post"]
    )
    func journey(provider: String) async throws {
        let port = try LoopbackPort.free()
        let origin = "https://shop.example:\(port)"
        try await ShopStage.run(publicOrigin: origin) { stage in
            let proxy = try await startProxy(port: port, backend: stage.backend)
            defer { proxy.stop() }
            let arguments = ["--host-resolver-rules=MAP shop.example 127.0.0.1", "--ignore-certificate-errors"]
            try await Browser.run(arguments: arguments) { browser in
                try await browser.add("analytical-mug", stage)
                try await browser.signIn(provider, stage)
                #expect(try await browser.text.contains("1 item"))
                let cookies = try await browser.cookies
                let session = cookies.first { $0["name"]?.string == "__Host-identity-session" }
                #expect(session?["secure"]?.bool == true && session?["path"]?.string == "/")
                #expect(session?["httpOnly"]?.bool == true && session?["sameSite"]?.string == "Lax")
                #expect(cookies.allSatisfy { $0["name"]?.string?.hasPrefix("__Host-") == true })
                await browser.keepScreenshot("tls-\(provider)")
                try await browser.click("form[action=\"/checkout\"] button")
                try await browser.wait(for: "Checkout")
                try await browser.go("\(origin)/account")
                try await browser.click("form[action=\"/auth/logout\"] button")
                try await browser.wait(for: "You are signed out")
                try await browser.expectNoComplaints()
            }
        }
    }

    private func startProxy(port: UInt16, backend: String) async throws -> Proxy {
        let folder = try TemporaryDirectory("nginx")
        let certificate = try Spawned.start(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=shop.example", "-addext",
                "subjectAltName=DNS:shop.example", "-keyout", folder.path(of: "key.pem"), "-out",
                folder.path(of: "certificate.pem"),
            ],
            [:]
        )
        try #require(certificate.wait() == 0)
        for descriptor in [certificate.input, certificate.output, certificate.errors] { close(descriptor) }
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { name in
            "\(name)_temp_path \(folder.path(of: name));"
        }
        // The development server refuses requests whose `Host` does not name this machine.
        let configuration = try folder.write(
            """
            daemon off; master_process off; pid \(folder.path(of: "pid")); error_log stderr;
            events {}
            http {
              access_log off; \(paths.joined(separator: " "))
              server {
                listen 127.0.0.1:\(port) ssl;
                ssl_certificate \(folder.path(of: "certificate.pem")); ssl_certificate_key \(folder.path(of: "key.pem"));
                location / { proxy_pass \(backend); proxy_set_header Host $proxy_host; proxy_redirect off; }
              }
            }
            """,
            to: "nginx.conf"
        )
        let process = try Spawned.start(Proxy.nginx, ["-p", folder.path, "-c", configuration], [:])
        // nginx writes this file after it has opened the port.
        for _ in 0..<1_200 where !FileManager.default.fileExists(atPath: folder.path(of: "pid")) {
            try await Task.sleep(for: .milliseconds(50))
        }
        return Proxy(process: process, folder: folder)
    }
}

/// An nginx that terminates TLS.
private struct Proxy {
    static let nginx = "/usr/sbin/nginx"
    static var isEnabled: Bool {
        unsafe access(nginx, X_OK) == 0 && Browser.isInstalled
            && ProcessInfo.processInfo.environment["IDENTITYKIT_BROWSER_TLS"] != nil
    }

    let process: Spawned
    let folder: TemporaryDirectory

    func stop() {
        kill(process.identifier, SIGTERM)
        _ = process.wait()
        for descriptor in [process.input, process.output, process.errors] { close(descriptor) }
        folder.remove()
    }
}
