import IdentityHTTP
import IdentityKit
import IdentityPlatform
import IdentityPresentation
import Synchronization
import Testing

@Suite("Sign-in in a terminal")
struct ManualPresenterTests {
    @Test("the URL is announced before a line is read, and only that line is read")
    func oneLine() async throws {
        let pipe = try Pipe()
        let presenter = ManualPresenter(lines: StandardInput(descriptor: pipe.read)) { url in
            #expect(url.host == "id.example")
            pipe.send("\n  https://app.example/cb?code=x&state=y \r\nnext\n")
        }
        let callback = try await presenter.present(login(redirectURI: "https://app.example/cb"))
        #expect(callback == "https://app.example/cb?code=x&state=y")
        #expect(try await StandardInput(descriptor: pipe.read).nextLine() == "next")
    }

    @Test("for form_post a line is the posted form, and a line with a question mark is a URL")
    func form() async throws {
        for (line, isForm) in [("code=x%3F&state=y", true), ("https://app.example/cb?error=x&state=y", false)] {
            let pipe = try Pipe()
            let presenter = ManualPresenter(lines: StandardInput(descriptor: pipe.read)) { _ in pipe.send(line + "\n") }
            let callback = try await presenter.presentCatchingForms(login(redirectURI: "https://app.example/cb"))
            #expect(callback.form == (isForm ? Array(line.utf8) : nil))
            #expect(callback.url == (isForm ? "" : line))
        }
    }

    @Test("the end of the input cancels the login")
    func endOfInput() async throws {
        let pipe = try Pipe()
        let presenter = ManualPresenter(lines: StandardInput(descriptor: pipe.read)) { _ in pipe.closeWriting() }
        await #expect(throws: CancellationError.self) { try await presenter.present(login(redirectURI: nil)) }
    }

    @Test("input that cannot be read is a failure, and not the end of the input")
    func unreadableInput() async throws {
        // Reading a directory fails with EISDIR.
        let directory = unsafe open("/", O_RDONLY)
        defer { close(directory) }
        let error = await #expect(throws: IdentityError.self) {
            try await StandardInput(descriptor: directory).nextLine()
        }
        #expect(error?.code == .systemFailure)
    }

    @Test("a line that is too long or not UTF-8 is refused as a whole")
    func hostileLines() async throws {
        for bytes in [Array(repeating: UInt8(ascii: "a"), count: 70), [0xC3, 0x28]] {
            let pipe = try Pipe()
            pipe.send(bytes + [0x0A] + "next\n".utf8)
            let error = await #expect(throws: IdentityError.self) {
                try await StandardInput(descriptor: pipe.read, maximumBytes: 64).nextLine()
            }
            #expect(error?.code == .callbackInvalid)
            #expect(try await StandardInput(descriptor: pipe.read).nextLine() == "next")
        }
    }

    @Test("a cancelled read returns although no byte arrives")
    func cancellation() async throws {
        let pipe = try Pipe()
        let announced = Awaited<Bool>()
        let presenter = ManualPresenter(lines: StandardInput(descriptor: pipe.read)) { _ in announced.set(true) }
        let task = Task { try await presenter.present(login(redirectURI: nil)) }
        _ = await announced.get()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

private final class Pipe: Sendable {
    let read: Int32
    private let write: Mutex<Int32>

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        read = ends[0]
        write = Mutex(ends[1])
    }

    deinit {
        close(read)
        closeWriting()
    }

    func send(_ text: String) {
        send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) {
        write.withLock { _ = unsafe IdentityPlatform.write($0, bytes, bytes.count) }
    }

    func closeWriting() {
        write.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}
