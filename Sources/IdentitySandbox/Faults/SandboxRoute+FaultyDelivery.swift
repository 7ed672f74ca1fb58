internal import IdentityLoopback

extension SandboxRoute {
    /// Waits for the planned delays, and returns how the server sends the response: whole, slowly, cut off, or not at all (a reset).
    static func deliver(_ response: SandboxResponse, _ effects: [SandboxFault.Effect]) async -> LoopbackResponse {
        let (status, headers, body) = (response.status, response.headers, response.body)
        func message() -> [UInt8] { LoopbackResponse.encode(status: status, headers: headers, body: body).bytes }
        // `try?`, because the sleep throws an error if this task is cancelled, which happens when the server stops.
        for case .delay(let duration) in effects { try? await Task.sleep(for: duration) }
        for effect in effects {
            switch effect {
            case .reset: return .script([.reset])
            case .cut(let count): return .script([.send(Array(message().prefix(count))), .close])
            case .drip(let size, let interval):
                let message = message()
                let starts = stride(from: 0, to: message.count, by: size)
                return .script(
                    starts.flatMap { start -> [LoopbackAction] in
                        [.send(Array(message[start..<min(start + size, message.count)])), .delay(interval)]
                    } + [.close]
                )
            case .replace, .edit, .idToken, .delay, .raw, .before: continue
            }
        }
        return .message(status: status, headers: headers, body: body)
    }
}
