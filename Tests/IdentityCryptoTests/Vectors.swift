import IdentityCrypto

func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func base64url(_ text: String) -> [UInt8] {
    Base64URL.decode(text) ?? []
}

extension SigningKey {
    func verificationKey() throws(CryptoError) -> VerificationKey {
        switch publicNumbers {
        case .rsa(let modulus, let exponent): try .rsa(modulus: modulus, exponent: exponent)
        case .ellipticCurve(let curve, let x, let y): try .ellipticCurve(curve, x: x, y: y)
        case .ed25519(let x): try .ed25519(x)
        }
    }
}

/// The published examples of JOSE.
enum JOSEVectors {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    /// RFC 7515 appendix A.2.
    enum RS256 {
        static let message = Array("eyJhbGciOiJSUzI1NiJ9.\(payload)".utf8)
        static let modulus = base64url(
            "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZ"
                + "S-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTB"
                + "EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91"
                + "kzk2PAcDTW9gb54h4FRWyuXpoQ"
        )
        static let exponent: [UInt8] = [1, 0, 1]
        static let signature = base64url(
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CU"
                + "Ar7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOL"
                + "n6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVm"
                + "tVrBp0igcN_IoypGlUPQGe77Rw"
        )
        static func key() throws(CryptoError) -> VerificationKey { try .rsa(modulus: modulus, exponent: exponent) }
    }

    /// RFC 7515 appendix A.3.
    enum ES256 {
        static let message = Array("eyJhbGciOiJFUzI1NiJ9.\(payload)".utf8)
        static let x = base64url("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
        static let y = base64url("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
        static let signature = base64url(
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        )
        static func key() throws(CryptoError) -> VerificationKey { try .ellipticCurve(.p256, x: x, y: y) }
    }

    /// RFC 8037 appendix A.4.
    enum Ed25519 {
        static let message = Array("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".utf8)
        static let x = base64url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
        static let signature = base64url(
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        )
        static func key() throws(CryptoError) -> VerificationKey { try .ed25519(x) }
    }
}
