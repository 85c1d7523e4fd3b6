#include "cloud-server/main/online_keys/pkcs11/token.h"

#include <p11-kit/pkcs11.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "common/sys/filesystem.h"
#include "common/sys/shared_library.h"

namespace ferry::server {
namespace {

constexpr uint64_t kMaxPinBytes = 1024;
constexpr CK_ULONG kMaxSlots = 256;
constexpr const char* kMakersPackage = "softhsm2 or the package of the token's maker";

Status Failed(const char* call, CK_RV rv) {
  switch (rv) {
    case CKR_PIN_INCORRECT:
    case CKR_PIN_INVALID:
    case CKR_PIN_LEN_RANGE:
      return Status(Code::kPermissionDenied, "the token refuses the PIN");
    case CKR_PIN_LOCKED:
      return Status(Code::kPermissionDenied, "the token has locked its PIN");
    case CKR_MECHANISM_INVALID:
    case CKR_FUNCTION_NOT_SUPPORTED:
      return Status::Of(Code::kUnsupported, "the token cannot do this: {}", call);
    default:
      return Status::Of(Code::kUnavailable, "{}: error {:#x} of the module", call,
                        static_cast<uint64_t>(rv));
  }
}

#define FERRY_TOKEN_TRY(call, ...)                                    \
  if (const CK_RV rv = functions_->call(__VA_ARGS__); rv != CKR_OK) { \
    return Failed(#call, rv);                                         \
  }

// Text of a fixed width, with blanks at its end.
template <size_t kSize>
std::string Unpadded(const unsigned char (&text)[kSize]) {
  std::string out(reinterpret_cast<const char*>(text), kSize);
  out.erase(out.find_last_not_of(" ") + 1);
  return out;
}

Result<std::string> PinOf(const Pkcs11Uri& uri) {
  if (uri.pin_source.empty()) {
    const char* pin = std::getenv(kPkcs11Pin);
    if (pin == nullptr || *pin == 0)
      return Status::Of(Code::kNotFound, "no PIN: {} is not set, and there is no pin-source",
                        kPkcs11Pin);
    return std::string(pin);
  }
  FERRY_ASSIGN_OR_RETURN(
      const Bytes bytes,
      sys::ReadFile(sys::SystemFileSystem(), uri.pin_source, kMaxPinBytes).Context("pin-source"));
  std::string pin(AsText(bytes));
  pin.erase(pin.find_last_not_of("\r\n") + 1);
  return pin;
}

// The module from its initialisation to its end, and one session with a token.
class Module {
 public:
  explicit Module(CK_FUNCTION_LIST* functions) : functions_(functions) {}
  ~Module() {
    if (is_open_) functions_->C_CloseSession(session_);
    if (is_ours_) functions_->C_Finalize(nullptr);
  }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Status Start() {
    CK_C_INITIALIZE_ARGS arguments{};
    arguments.flags = CKF_OS_LOCKING_OK;
    const CK_RV rv = functions_->C_Initialize(&arguments);
    if (rv == CKR_CRYPTOKI_ALREADY_INITIALIZED) return OkStatus();
    if (rv != CKR_OK) return Failed("C_Initialize", rv);
    is_ours_ = true;
    return OkStatus();
  }

  Status Enter(const Pkcs11Uri& uri, bool may_write) {
    FERRY_ASSIGN_OR_RETURN(const CK_SLOT_ID slot, SlotOf(uri));
    FERRY_ASSIGN_OR_RETURN(std::string pin, PinOf(uri));
    const CK_FLAGS flags = CKF_SERIAL_SESSION | (may_write ? CKF_RW_SESSION : 0);
    FERRY_TOKEN_TRY(C_OpenSession, slot, flags, nullptr, nullptr, &session_);
    is_open_ = true;
    auto* const text = reinterpret_cast<unsigned char*>(pin.data());
    const CK_RV rv = functions_->C_Login(session_, CKU_USER, text, pin.size());
    crypto::Wipe({text, pin.size()});
    if (rv != CKR_OK && rv != CKR_USER_ALREADY_LOGGED_IN) return Failed("C_Login", rv);
    return OkStatus();
  }

  // kNotFound: the token has no secret key of this label. kFailedPrecondition: several.
  Result<CK_OBJECT_HANDLE> FindKey(std::string label) {
    CK_OBJECT_CLASS kind = CKO_SECRET_KEY;
    std::array<CK_ATTRIBUTE, 2> wanted = {
        {{CKA_CLASS, &kind, sizeof(kind)}, {CKA_LABEL, label.data(), label.size()}}};
    FERRY_TOKEN_TRY(C_FindObjectsInit, session_, wanted.data(), wanted.size());
    std::array<CK_OBJECT_HANDLE, 2> found{};
    CK_ULONG count = 0;
    const CK_RV rv = functions_->C_FindObjects(session_, found.data(), found.size(), &count);
    functions_->C_FindObjectsFinal(session_);
    if (rv != CKR_OK) return Failed("C_FindObjects", rv);
    if (count == 0)
      return Status::Of(Code::kNotFound, "the token has no secret key \"{:.80}\"", label);
    if (count > 1)
      return Status::Of(Code::kFailedPrecondition, "the token has several keys \"{:.80}\"", label);
    return found[0];
  }

  Result<CK_OBJECT_HANDLE> MakeKey(std::string label) {
    CK_OBJECT_CLASS kind = CKO_SECRET_KEY;
    CK_KEY_TYPE type = CKK_GENERIC_SECRET;
    CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    CK_ULONG bytes = crypto::Secret32::kBytes;
    std::array<CK_ATTRIBUTE, 9> attributes = {{{CKA_CLASS, &kind, sizeof(kind)},
                                               {CKA_KEY_TYPE, &type, sizeof(type)},
                                               {CKA_LABEL, label.data(), label.size()},
                                               {CKA_VALUE_LEN, &bytes, sizeof(bytes)},
                                               {CKA_TOKEN, &yes, sizeof(yes)},
                                               {CKA_PRIVATE, &yes, sizeof(yes)},
                                               {CKA_SENSITIVE, &yes, sizeof(yes)},
                                               {CKA_EXTRACTABLE, &no, sizeof(no)},
                                               {CKA_SIGN, &yes, sizeof(yes)}}};
    CK_MECHANISM how = {CKM_GENERIC_SECRET_KEY_GEN, nullptr, 0};
    CK_OBJECT_HANDLE key = 0;
    FERRY_TOKEN_TRY(C_GenerateKey, session_, &how, attributes.data(), attributes.size(), &key);
    return key;
  }

  Result<crypto::Secret32> Mac(CK_OBJECT_HANDLE key, ByteView message) {
    CK_MECHANISM how = {CKM_SHA256_HMAC, nullptr, 0};
    FERRY_TOKEN_TRY(C_SignInit, session_, &how, key);
    std::array<unsigned char, crypto::Secret32::kBytes> mac{};
    CK_ULONG size = mac.size();
    Bytes copy(message.begin(), message.end());  // the interface takes no constant bytes
    FERRY_TOKEN_TRY(C_Sign, session_, copy.data(), copy.size(), mac.data(), &size);
    auto secret = crypto::Secret32::From(ByteView(mac).first(size), "the token's HMAC");
    crypto::Wipe(mac);
    return secret;
  }

 private:
  Result<CK_SLOT_ID> SlotOf(const Pkcs11Uri& uri) {
    std::array<CK_SLOT_ID, kMaxSlots> slots{};
    CK_ULONG count = slots.size();
    FERRY_TOKEN_TRY(C_GetSlotList, CK_TRUE, slots.data(), &count);
    std::string seen;
    std::vector<CK_SLOT_ID> fitting;
    for (CK_ULONG i = 0; i < count; ++i) {
      CK_TOKEN_INFO info{};
      FERRY_TOKEN_TRY(C_GetTokenInfo, slots[i], &info);
      if ((info.flags & CKF_TOKEN_INITIALIZED) == 0) continue;
      const std::string label = Unpadded(info.label), serial = Unpadded(info.serialNumber);
      seen += fmt::format("{}\"{}\" ({})", seen.empty() ? "" : ", ", label, serial);
      if ((uri.token.empty() || uri.token == label) && (uri.serial.empty() || uri.serial == serial))
        fitting.push_back(slots[i]);
    }
    if (fitting.size() == 1) return fitting[0];
    if (seen.empty()) seen = "none";
    if (fitting.empty())
      return Status::Of(Code::kNotFound, "no token \"{:.80}\"; there are: {:.400}", uri.token,
                        seen);
    return Status::Of(Code::kFailedPrecondition, "several tokens fit; there are: {:.400}", seen);
  }

  CK_FUNCTION_LIST* functions_;
  CK_SESSION_HANDLE session_ = 0;
  bool is_ours_ = false;
  bool is_open_ = false;
};

#undef FERRY_TOKEN_TRY

Result<TokenMac> MacIn(const Pkcs11Uri& uri, ByteView message, bool make) {
  FERRY_ASSIGN_OR_RETURN(const sys::SharedLibrary library,
                         sys::SharedLibrary::Open({uri.module.c_str()}, kMakersPackage));
  FERRY_ASSIGN_OR_RETURN(void* const address, library.Find("C_GetFunctionList"));
  CK_FUNCTION_LIST* functions = nullptr;
  const CK_RV rv = reinterpret_cast<CK_C_GetFunctionList>(address)(&functions);
  if (rv != CKR_OK) return Failed("C_GetFunctionList", rv);
  Module module(functions);
  FERRY_TRY(module.Start());
  FERRY_TRY(module.Enter(uri, make));
  Result<CK_OBJECT_HANDLE> key = module.FindKey(uri.object);
  const bool made = make && key.code() == Code::kNotFound;
  if (made) key = module.MakeKey(uri.object);
  FERRY_TRY(key);
  FERRY_ASSIGN_OR_RETURN(crypto::Secret32 mac, module.Mac(*key, message));
  return TokenMac{std::move(mac), made};
}

}  // namespace

Result<TokenMac> MacInToken(const Pkcs11Uri& uri, ByteView message, bool make) {
  return MacIn(uri, message, make).Context("{}", uri.module);
}

}  // namespace ferry::server
