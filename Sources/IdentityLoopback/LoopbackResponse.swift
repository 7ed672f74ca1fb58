internal import IdentityHTTP

/// One step of a scripted response.
package enum LoopbackAction: Sendable {
    /// Sends bytes unchanged. The next step waits until the kernel has accepted them.
    case send([UInt8])
    /// Calls a function after the kernel has accepted all earlier bytes. The function runs on the server's thread, so it must not block.
    case call(@Sendable () -> Void)
    /// Waits before the next step, at most one hour.
    case delay(Duration)
    /// Ends the script; the server then closes the connection with FIN.
    case close
    /// Closes the connection with RST.
    case reset
}

package struct LoopbackResponse: Sendable {
    enum Content: Sendable {
        case message(status: Int, headers: [(String, String)], body: [UInt8])
        case script([LoopbackAction])
    }

    let content: Content

    /// A valid HTTP response.
    ///
    /// The server adds `Date` and `Content-Length` if they are not given and the status permits them. The server closes the connection
    /// after a response with `Connection: close`, and omits header fields with an invalid name or with a control character in the value.
    package static func message(
        status: Int,
        headers: [(String, String)] = [],
        body: [UInt8] = []
    ) -> LoopbackResponse {
        LoopbackResponse(content: .message(status: status, headers: headers, body: body))
    }

    /// A script of raw bytes, pauses and calls, for example for invalid HTTP; the server closes the connection after the script.
    package static func script(_ actions: [LoopbackAction]) -> LoopbackResponse {
        LoopbackResponse(content: .script(actions))
    }
}

extension LoopbackResponse {
    package static func encode(
        status: Int,
        headers: [(String, String)],
        body: [UInt8],
        isHead: Bool = false,
        keepAlive: Bool = false
    ) -> (bytes: [UInt8], keepAlive: Bool) {
        let sound = headers.filter { name, value in
            !name.isEmpty && name.utf8.allSatisfy(ASCII.isToken) && value.utf8.allSatisfy(ASCII.isFieldValue)
        }
        let field = { (wanted: String) in sound.first { $0.0.lowercased() == wanted } }
        let stays = keepAlive && field("connection")?.1.lowercased() != "close"
        let isBodiless = (100..<200).contains(status) || status == 204 || status == 304
        var bytes = Array(StatusLine.text(status).utf8)
        bytes.reserveCapacity(256 + body.count)
        for (name, value) in sound {
            bytes += name.utf8
            bytes += [0x3A, 0x20]
            bytes += value.utf8
            bytes += [0x0D, 0x0A]
        }
        if status >= 200, field("date") == nil { bytes += "Date: \(HTTPDate.now)\r\n".utf8 }
        if !isBodiless, field("content-length") == nil { bytes += "Content-Length: \(body.count)\r\n".utf8 }
        if !stays, field("connection") == nil { bytes += "Connection: close\r\n".utf8 }
        bytes += [0x0D, 0x0A]
        if !isBodiless, !isHead { bytes += body }
        return (bytes, stays)
    }
}
