import IdentityHTTP
import IdentityKit
import IdentityPresentation

extension App {
    func loopbackPresenter() async throws {
        let presenter = LoopbackPresenter { url, isOpened in
            if !isOpened { print("Open \(url.text)") }
        }
        let session = try await LoginFlow(provider: "shopify", sessions: sessions, presenter: presenter).login()
        _ = session
    }

    func manualPresenter() async throws {
        let presenter = ManualPresenter { url in
            print("Open \(url.text), sign in, and paste the address of the page to which you are redirected:")
        }
        let session = try await LoginFlow(provider: "shopify", sessions: sessions, presenter: presenter).login()
        _ = session
    }
}
